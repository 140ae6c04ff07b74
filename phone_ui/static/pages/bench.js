// The bench: boxes, dice and panels made of software, so that one person with a laptop plays a whole table.

import { html, render, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { Die, Mark, seatWords } from "../parts/atoms.js";
import { LAMPS, lampsAt } from "../lib/ring.js";
import { follow } from "../lib/stream.js";
import { seatName } from "../lib/labels.js";

const table = location.pathname.split("/").filter(Boolean).at(-2);
const BOX_KEYS = ["k1", "k2", "k3", "k4", "k5", "k6"];

/** Send one command to the bench; returns a sentence if it cannot be done. */
async function order(command) {
  try {
    const answer = await fetch(`/t/${table}/bench`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(command),
    });
    const said = await answer.json().catch(() => ({}));
    return answer.ok ? "" : (said.error ?? "The bench could not do that.");
  } catch {
    return "The hub does not answer.";
  }
}

function Bench() {
  const [bench, setBench] = useState(null);
  const [state, setState] = useState(null);
  const [key, setKey] = useState(null);
  const [said, setSaid] = useState("");
  const [away, setAway] = useState(false);

  useEffect(() => {
    const boxes = follow(`/t/${table}/bench/events`, { onState: setBench, onAway: setAway });
    const told = follow(`/t/${table}/events`, { onState: setState, onAway: () => undefined });
    return () => {
      boxes.close();
      told.close();
    };
  }, []);

  const code = state?.code;
  useEffect(() => {
    if (code)
      fetch(`/code/${code}.json`)
        .then((a) => a.json())
        .then(
          (found) => setKey(found.k),
          () => undefined,
        );
  }, [code]);

  const act = async (command) => setSaid(await order(command));
  if (!bench || !state)
    return html`<main class="splash"><p class="headline">${away ? "Waiting for the hub" : "Setting up the bench"}</p></main>`;
  return html`<div class="bench-page">
    <header class="bench-head">
      <h1>${state.name} <span class="quiet-words">${state.title || "nobody plays yet"}</span></h1>
      <p class="bench-said" role="status">${away ? "Waiting for the hub" : said}</p>
      <a class="bench-link" href=${`/t/${table}/kiosk`} target="kiosk">Open the screen</a>
    </header>
    <div class="bench-boxes">
      ${Object.entries(bench.boxes).map(([seat, box]) => html`<${Box} key=${seat} seat=${Number(seat)} box=${box} state=${state} hubKey=${key} act=${act} />`)}
    </div>
    <div class="bench-rest">
      <${Tray} dice=${bench.dice} state=${state} act=${act} />
      <section class="bench-panels" aria-label="Panels">
        ${Object.entries(bench.panels ?? {}).map(([size, version]) => html`<figure key=${size}><img src=${`/t/${table}/bench/panel/${size}.png?v=${version}`} alt=${`panel of ${size} inches`} class=${`panel-${size.replace(".", "-")}`} /><figcaption>${size} in</figcaption></figure>`)}
      </section>
    </div>
  </div>`;
}

/** One seat box: ring, dial, bar, six keys, display. The keyboard works it when it has the focus. */
function Box({ seat, box, state, hubKey, act }) {
  const [hood, setHood] = useState(false);
  const place = state.seats.find((s) => s.seat === seat);
  const press = (control, hold = false) => act({ box: seat, press: control, hold });
  const turn = (detents) => act({ box: seat, turn: detents });

  function keys(event) {
    if (event.target.tagName === "A" || event.ctrlKey || event.metaKey || event.altKey) return;
    const onButton = event.target.tagName === "BUTTON";
    if (event.key === "ArrowRight" || event.key === "ArrowUp") turn(1);
    else if (event.key === "ArrowLeft" || event.key === "ArrowDown") turn(-1);
    else if (event.key === "Enter" && !onButton) press("push", event.shiftKey);
    else if (event.key === "Backspace" || event.key === "Escape") press("bar", event.shiftKey);
    else if (/^Digit[1-6]$/.test(event.code)) press(`k${event.code.slice(-1)}`, event.shiftKey);
    else return;
    event.preventDefault();
  }

  const phone = `/t/${table}?phone=${seat}#${new URLSearchParams({ ...(hubKey ? { k: hubKey } : {}), seat, ...(place?.claim_code ? { code: place.claim_code } : {}) })}`;
  return html`<section class=${`box${box.connected ? "" : " unplugged"}`} tabindex="0" aria-label=${`Box of ${seatWords(seat)}`} onKeyDown=${keys}>
    <header class="box-head">
      <${Mark} seat=${seat} /> <b>${seat}</b> <span class="box-name">${place?.name ? seatName(state, seat) : ""}</span>
      <a class="bench-link" href=${phone} target=${`phone-${seat}`}>${place?.held ? "Phone" : "Sit down with a phone"}</a>
    </header>
    <div class="box-top">
      <${Ring} lamps=${box.connected ? box.lamps : null}>
        <button type="button" class="dial" aria-label="push the dial" onClick=${(e) => press("push", e.shiftKey)}>push</button>
      </${Ring}>
      <div class="dial-sides">
        <button type="button" class="turn" aria-label="dial right, more" onClick=${() => turn(1)}>+</button>
        <button type="button" class="turn" aria-label="dial left, less" onClick=${() => turn(-1)}>−</button>
      </div>
    </div>
    <p class="oled" aria-label="display">${!box.connected ? "no cable" : box.sealed && !hood ? "under the hood" : box.display || " "}</p>
    <div class="box-keys">
      ${BOX_KEYS.map((control, i) => html`<button type="button" key=${control} class="box-key" onClick=${(e) => press(control, e.shiftKey)}>${i + 1}</button>`)}
    </div>
    <button type="button" class="bar" onClick=${(e) => press("bar", e.shiftKey)}>pass</button>
    <footer class="box-foot">
      <button type="button" class="plain" aria-pressed=${hood} onClick=${() => setHood(!hood)}>${hood ? "Close the hood" : "Look under the hood"}</button>
      ${hood && html`<span class="under-hood">${box.sealed ? html`dial at <b>${box.hood || "?"}</b>${box.locked ? ", locked" : ""}` : "nothing sealed"}</span>`}
      <span class="cables">
        <button type="button" class="plain" onClick=${() => press("bar", true)}>Hold bar</button>
        ${box.connected ? html`<button type="button" class="plain" onClick=${() => act({ box: seat, unplug: true })}>Unplug</button>` : html`<button type="button" class="plain" onClick=${() => act({ box: seat, plug: true })}>Plug in</button>`}
        <button type="button" class="plain" onClick=${() => act({ box: seat, power_cycle: true })}>Power off, on</button>
      </span>
    </footer>
  </section>`;
}

/** The 16 lamps around a dial, drawn as the box draws them. */
function Ring({ lamps, children }) {
  const circles = useRef([]);
  const picture = lamps ? `${lamps.pattern}/${lamps.n}/${lamps.colour}` : "off";

  useEffect(() => {
    const began = performance.now();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let frame = 0;
    function draw() {
      const t = still ? 0.5 : (performance.now() - began) / 1000;
      for (const [i, { colour, level }] of lampsAt(lamps ?? { pattern: "off" }, t).entries()) {
        const circle = circles.current[i];
        circle.style.setProperty("fill", level ? `#${colour}` : "transparent");
        circle.style.setProperty("fill-opacity", 0.15 + 0.85 * level);
      }
      if (!still) frame = requestAnimationFrame(draw);
    }
    draw();
    return () => cancelAnimationFrame(frame);
  }, [picture]);

  return html`<div class="ring">
    <svg viewBox="-50 -50 100 100" role="img" aria-label=${`ring: ${(lamps?.pattern ?? "off").replaceAll("_", " ")}${lamps?.n ? ` ${lamps.n}` : ""}`}>
      ${Array.from({ length: LAMPS }, (_, i) => {
        // Lamp 0 at the player, below; clockwise from there.
        const angle = Math.PI / 2 + (i * 2 * Math.PI) / LAMPS;
        return html`<circle key=${i} ref=${(c) => (circles.current[i] = c)} class="lamp" cx=${42 * Math.cos(angle)} cy=${42 * Math.sin(angle)} r="5.6" />`;
      })}
    </svg>
    ${children}
  </div>`;
}

const many = (count) => (count === 1 ? "one die" : `${count} dice`);

/** The dice: throw them, or lay the faces; and the ways in which dice go wrong. */
function Tray({ dice, state, act }) {
  const armed = dice.armed;
  const count = dice.wanted || 1;
  const sides = armed?.sides ?? 6;
  const [faces, setFaces] = useState([]);
  useEffect(() => setFaces([]), [count, armed?.seat]);
  const lay = (face) => {
    const next = [...faces, face];
    if (next.length < count) return setFaces(next);
    setFaces([]);
    return act({ dice: "throw", faces: next });
  };
  return html`<section class="tray" aria-label="Dice">
    <h2>${armed ? html`<${Mark} seat=${armed.seat} /> ${seatName(state, armed.seat)} rolls ${many(armed.count)}` : "No roll is asked for"}</h2>
    <p class="tray-state"><b>${dice.state.replaceAll("_", " ")}</b> ${dice.say}</p>
    <div class="dice-row">${[...dice.faces, ...faces].map((face) => html`<${Die} face=${face} />`)}</div>
    <button type="button" class="throw" disabled=${!armed} onClick=${() => act({ dice: "throw" })}>Throw ${armed ? many(count) : ""}</button>
    <div class="tray-faces" role="group" aria-label="Lay the faces">
      ${Array.from({ length: Math.min(sides, 20) }, (_, i) => i + 1).map((face) => html`<button type="button" key=${face} class="tray-face" disabled=${!armed} aria-label=${`lay a ${face}`} onClick=${() => lay(face)}><${Die} face=${face} /></button>`)}
    </div>
    <div class="tray-faults">
      <button type="button" class="plain" aria-pressed=${dice.leaning} onClick=${() => act({ dice: "cock" })}>Next one leans</button>
      <button type="button" class="plain" aria-pressed=${dice.missing} onClick=${() => act({ dice: "miscount" })}>Next one is missed</button>
      <button type="button" class="plain" disabled=${!armed} onClick=${() => act({ dice: "throw", count: count + 1 })}>Throw one too many</button>
      <button type="button" class="plain" aria-pressed=${dice.weak} onClick=${() => act({ dice: "drain" })}>A battery runs low</button>
      ${dice.lost ? html`<button type="button" class="plain" onClick=${() => act({ dice: "restore" })}>Reader back</button>` : html`<button type="button" class="plain" onClick=${() => act({ dice: "lose" })}>Lose the reader</button>`}
    </div>
  </section>`;
}

render(html`<${Bench} />`, document.getElementById("page"));
