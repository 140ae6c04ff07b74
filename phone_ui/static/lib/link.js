// The phone's link to its table: MQTT over WebSocket on the page's own port. Pages see only
// {onPublic, onHand, onAway, onGone} and send(verb, args).

import mqtt from "/vendor/mqtt.js";
import { fromBase64, keyFrom, randomHex, talk } from "./encryption.js";
import { notOlder } from "./stream.js";

const ASK_AGAIN = 1_500; // an unanswered request is sent again with the same id
const GIVE_UP = 8_000;
const PING_AFTER = 2_500;
const DEAD_AFTER = 6_000;
const SAY_AWAY_AFTER = 3_000;
const REFUSED_FOR = 3_000; // a hub that is just starting may not know its logins yet

/**
 * Connect a held seat. `held` is what claimSeat gave and a slot keeps; `count` returns the next rising number.
 * `onGone(sentence)` is called once when the seat is no longer this phone's.
 */
export function connect({ held, count, onPublic, onHand, onAway, onGone }) {
  const base = `th/1/${held.hub}/`;
  const mine = `${base}${held.table}/seat/${held.sid}/`;
  const topics = {
    state: `${base}${held.table}/pub/state`,
    status: `${base}status`,
    hand: `${mine}hand`,
    ack: `${mine}ack`,
    act: `${mine}act`,
    online: `${mine}online`,
  };
  const channel = talk(keyFrom(held.hubkey), fromBase64(held.sk));
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/mqtt`;
  const session = randomHex(8);
  const open = new Map(); // requests without an answer, by id

  let client = null;
  let live = false;
  let hubUp = true;
  let heard = Date.now();
  let dialledAt = Date.now();
  let lostAt = Date.now();
  let away = false;
  let refusedAt = null;
  let over = false;
  let shown = null;
  let hand = null;
  let tick = Date.now();

  function gone(sentence) {
    if (over) return;
    close();
    onGone(sentence);
  }

  function dial() {
    drop();
    if (over) return;
    const trying = mqtt.connect(address, {
      clientId: held.user,
      username: held.user,
      password: held.password,
      clean: true,
      keepalive: 20,
      reconnectPeriod: 0,
      connectTimeout: 4_000,
      resubscribe: false,
      will: { topic: topics.online, payload: "", retain: true, qos: 1 },
    });
    client = trying;
    heard = dialledAt = Date.now();
    trying.on("packetreceive", () => (heard = Date.now()));
    trying.on("connect", () => {
      refusedAt = null;
      trying.subscribe([topics.state, topics.hand, topics.ack], { qos: 1 });
      trying.subscribe(topics.status, { qos: 1 }, () => undefined);
      trying.publish(topics.online, JSON.stringify({ session }), { qos: 1, retain: true });
    });
    trying.on("message", take);
    trying.on("error", (trouble) => {
      if (trouble.code === 4 || trouble.code === 5) {
        refusedAt ??= Date.now();
        if (Date.now() - refusedAt >= REFUSED_FOR) gone("This seat was given back. Choose a seat to go on.");
      }
    });
    trying.on("close", () => {
      if (client !== trying) return;
      client = null;
      lost();
    });
  }

  function drop() {
    const old = client;
    client = null;
    old?.removeAllListeners();
    old?.on("error", () => undefined);
    old?.end(true);
    lost();
  }

  function lost() {
    if (live) lostAt = Date.now();
    live = false;
  }

  function take(topic, payload, packet) {
    if (topic === topics.state) {
      if (!packet.retain) hubUp = true; // who speaks is there, whatever its status said last
      const state = JSON.parse(new TextDecoder().decode(payload));
      alive();
      if (notOlder(shown, state)) onPublic((shown = state));
    } else if (topic === topics.hand) {
      if (!payload.length) return gone("This seat was given back. Choose a seat to go on.");
      const next = channel.open(payload);
      if (!next) return gone("The hub has a new key. Scan the code on the screen again.");
      alive();
      if (notOlder(hand, next)) onHand((hand = next));
    } else if (topic === topics.ack) {
      const answer = channel.open(payload);
      const request = answer && open.get(answer.re);
      if (!request) return;
      open.delete(answer.re);
      request.answer(answer);
    } else if (topic === topics.status) {
      hubUp = state(payload) !== "offline";
      if (!hubUp) lostAt = Date.now();
    }
  }

  function state(payload) {
    try {
      return JSON.parse(new TextDecoder().decode(payload)).state;
    } catch {
      return new TextDecoder().decode(payload);
    }
  }

  function alive() {
    if (!live) {
      live = true;
      for (const request of open.values()) request.again();
    }
    tell();
  }

  function tell() {
    const should = !(live && hubUp) && Date.now() - lostAt >= SAY_AWAY_AFTER;
    if (should !== away && (should || (live && hubUp))) onAway((away = should));
  }

  const timer = setInterval(() => {
    const now = Date.now();
    const slept = now - tick > 5_000;
    tick = now;
    const silent = now - heard;
    const mute = !live && now - dialledAt > DEAD_AFTER; // somebody answers pings, but nothing of the table comes
    if (slept || mute || silent > DEAD_AFTER || !client) dial();
    else if (silent > PING_AFTER && client.connected) client.sendPing();
    tell();
    for (const [id, request] of open) {
      if (now - request.since > GIVE_UP) {
        open.delete(id);
        request.answer({
          ok: false,
          error: "The hub did not answer. Look at the table, then try once more.",
          code: null,
        });
      } else if (now - request.sent > ASK_AGAIN) request.again();
    }
  }, 500);

  /** Drop whatever socket there is and open a new one now: after sleep, a hidden page or a changed network. */
  function wake() {
    tick = Date.now();
    refusedAt = null;
    dial();
  }

  function close() {
    over = true;
    clearInterval(timer);
    drop();
    for (const request of open.values()) request.answer({ ok: false, error: null, code: null });
    open.clear();
  }

  /** Ask the hub for something; resolves with its answer, or with a sentence when there was none within 8 s. */
  function send(verb, args = {}) {
    const id = randomHex(16);
    const whole = {
      v: 1,
      id,
      n: count(),
      epoch: hand?.epoch ?? shown?.epoch ?? 0,
      number: hand?.number ?? null,
      verb,
      args,
    };
    return new Promise((answer) => {
      const request = {
        since: Date.now(),
        sent: 0,
        answer,
        again() {
          request.sent = Date.now();
          if (client?.connected) client.publish(topics.act, channel.seal(whole), { qos: 1 });
        },
      };
      open.set(id, request);
      request.again();
    });
  }

  dial();
  return { send, wake, close };
}
