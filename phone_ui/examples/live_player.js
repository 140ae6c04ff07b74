// A player at a table: node live_player.js http://HUB:PORT TABLE-CODE SEAT SEAT-CODE GAME
// Both codes stand on the table's screen. It starts a match of the game, plays it to its end and leaves.

import { randomBytes } from "node:crypto";
import mqtt from "mqtt";
import { choose } from "./choose.js";
import { claim } from "./claim.js";

const [hub, tableCode, seat, seatCode, game] = process.argv.slice(2);
const { channel, login } = await claim(hub, tableCode, Number(seat), seatCode, `Robot ${seat}`);
const table = `th/1/${login.hub}/${login.table}`;
const mine = `${table}/seat/${login.sid}`;
const will = { topic: `${mine}/online`, payload: Buffer.alloc(0), retain: true, qos: /** @type {1} */ (1) };
const { user: username, password } = login;
const client = mqtt.connect(`${hub.replace(/^http/, "ws")}/mqtt`, { clientId: username, username, password, will });
const newest = /** @type {{ state?: any, hand?: any }} */ ({});
let [n, hasBegun] = [0, false];
let last = { id: "", verb: "", about: "" }; // the last request

client.on("connect", () => {
  client.subscribe([`${table}/pub/state`, `${mine}/hand`, `${mine}/ack`]);
  client.publish(will.topic, JSON.stringify({ session: randomBytes(4).toString("hex") }), { retain: true, qos: 1 });
});
client.on("message", (topic, payload) => {
  if (topic === `${mine}/ack`) return hear(channel.decrypt(payload));
  if (topic !== `${mine}/hand`) newest.state = JSON.parse(payload.toString());
  else if (payload.length) newest.hand = channel.decrypt(payload); // an empty one: the seat is ours no longer
  if (newest.hand?.seq === newest.state?.seq) play(newest.state, newest.hand); // both are of the same moment
});

/** Ask for what is to be done now. */
function play(/** @type {any} */ state, /** @type {any} */ hand) {
  hasBegun ||= state.state === "playing";
  const offers = hand.locked ? [] : hand.moves.filter((/** @type {any} */ offer) => !offer.standing);
  if (!hasBegun) request("start", { game });
  else if (state.state === "over") request("leave", {});
  else if (state.question?.kind === "pitch" && state.question.seat === hand.seat) request("vote", { say: "done" });
  // A program throws no dice.
  else if (hand.faces) request("dice", { say: "hub" });
  else if (offers.length) request("act", choose({ ...state.view, you: hand.you }, offers));
}

/** Send a request about the open decision, once. */
function request(/** @type {string} */ verb, /** @type {any} */ args) {
  const { epoch, number } = newest.hand;
  const about = `${verb} ${epoch} ${number} ${newest.state.dice?.batch}`;
  if (about === last.about) return;
  last = { id: randomBytes(8).toString("hex"), verb, about };
  const act = { v: 1, id: last.id, n: ++n, epoch, number, verb, args };
  client.publish(`${mine}/act`, channel.encrypt(act), { qos: 1 });
}

/** Hear how a request was answered: the last one, if it was refused, is sent again when something has changed. */
function hear(/** @type {any} */ ack) {
  if (ack.re !== last.id) return;
  if (!ack.ok) console.error(ack.error);
  if (!ack.ok) last.about = "";
  if (ack.ok && last.verb === "leave") {
    console.log(JSON.stringify(newest.state.over));
    client.end();
  }
}
