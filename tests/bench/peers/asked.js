// A program beside the measurements: one question in a line of JSON comes in, one answer in a line goes out.

import { createInterface } from "node:readline";

export const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

export async function answer(made) {
  for await (const line of createInterface({ input: process.stdin })) say(await made(JSON.parse(line)));
  process.exit(0);
}
