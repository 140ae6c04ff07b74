// A player against the house, on the referee: node referee_player.js GAME [SEATS [PROGRAM]]
// It plays seat 1, by what that seat is offered and may see; the house plays all others.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { choose } from "./choose.js";

const SEAT = 1;
const [game, seats = "3", program = "table-hub"] = process.argv.slice(2);
const house = Array.from({ length: Number(seats) - SEAT }, (_, at) => ["--house", `${SEAT + 1 + at}`]).flat();
const referee = spawn(program, ["referee", game, "--seats", seats, ...house], { stdio: ["pipe", "pipe", "inherit"] });
const answers = createInterface({ input: referee.stdout })[Symbol.asyncIterator]();

/** Return the referee's next line; the first one comes by itself. */
async function nextReply() {
  const { done, value } = await answers.next();
  if (done) throw new Error("The referee has ended.");
  const answer = JSON.parse(value);
  if (!answer.ok) throw new Error(answer.error);
  return answer;
}

/** Send a line to the referee and return its answer. */
function ask(/** @type {any} */ line) {
  referee.stdin.write(`${JSON.stringify(line)}\n`);
  return nextReply();
}

let reply = await nextReply();
while (!reply.over) {
  const { roll, seats: offered } = reply.waiting;
  const offers = (offered?.[SEAT] ?? []).filter((/** @type {any} */ offer) => !offer.standing);
  const { view } = await ask({ show: SEAT });
  if (roll && (!offers.length || Math.random() < 0.7)) {
    reply = await ask({ roll: Array.from({ length: roll.count }, () => 1 + Math.floor(Math.random() * roll.sides)) });
  } else {
    reply = await ask({ seat: SEAT, ...choose(view, offers) });
  }
}
console.log(JSON.stringify(reply.over));
referee.stdin.end();
