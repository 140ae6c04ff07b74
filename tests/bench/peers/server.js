// node server.js: a boardgame.io server on a free port of this machine's loopback, its matches kept in memory.
//
// Answers {"memory": true} with the megabytes it holds.

import server from "boardgame.io/dist/cjs/server.js";
import { answer, say } from "./asked.js";
import { Default, Goofspiel } from "./goofspiel.js";

const { appServer } = await server
  .Server({ games: [Goofspiel, Default], origins: ["http://127.0.0.1"] })
  .run({ port: { port: 0, host: "127.0.0.1" } });
say({ port: appServer.address().port });
answer(() => ({ megabytes: process.memoryUsage().rss / 2 ** 20 }));
