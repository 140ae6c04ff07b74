// The table's screen: public state only, readable from 2.5 m. It never sleeps and never shows an error page.

import { FirstRun } from "../kiosk/first_run.js";
import { Foot } from "../kiosk/foot.js";
import { Invitation } from "../kiosk/invitation.js";
import { table } from "../kiosk/joining.js";
import { Now } from "../kiosk/now.js";
import { TableTop } from "../kiosk/table_top.js";
import { Welcome } from "../kiosk/welcome.js";
import { Winner } from "../kiosk/winner.js";
import { complete } from "../lib/complete.js";
import { html, render, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { withEvents } from "../lib/kept_events.js";
import { withDeck } from "../lib/labels.js";
import { languageNow, loadLanguage } from "../lib/language.js";
import { needsSetup } from "../lib/needs_setup.js";
import { OwnScreen } from "../lib/own_screen.js";
import { fetchLanguages } from "../lib/speaking.js";
import { subscribe } from "../lib/stream.js";
import { Notices } from "../parts/notices.js";
import { Together } from "../parts/questions.js";
import { useSound } from "../parts/sound.js";
import { useLabels } from "../parts/use_labels.js";

/** @import { ScreenState } from "../lib/messages.d.ts" */

/** Called when the hub accepts or refuses the link of this screen. */
let onRefused = (/** @type {boolean} */ _refused) => {};
const screen = new OwnScreen(table, location.hash, (refused) => onRefused(refused));

/** @type {string[]} */
let languages = []; // of this table

/** @type {string[]} */
let allLanguages = [];

const TURN_SECONDS = 20;

/**
 * If the table has two languages, switch to the other one: each round, and from time to time while nobody plays.
 * @param {ScreenState | null} state
 */
function useLanguagesInTurn(state) {
  const isNew = state ? needsSetup(state) : false;
  const inTurn = isNew ? allLanguages : languages; // nobody has chosen a language for a new hub
  const inPlay = state?.state === "playing" || state?.state === "stopped";
  const moment = inPlay ? `${state.match} ${state.view?.round}` : "";
  const began = useRef(moment);
  const next = () => inTurn[(inTurn.indexOf(languageNow()) + 1) % inTurn.length];
  const turn = () => loadLanguage([next()]).then(draw);
  useEffect(() => {
    if (state) adaptLanguage(state.epoch, isNew);
  }, [isNew, state?.epoch]);
  useEffect(() => {
    if (inTurn.length < 2 || !state) return undefined;
    if (!moment) {
      const timer = setInterval(turn, TURN_SECONDS * 1000);
      return () => clearInterval(timer);
    }
    if (began.current && began.current !== moment) turn();
    began.current = moment;
    return undefined;
  }, [moment, state === null, isNew]);
}

/** The start of the hub at which the languages were fetched. */
let fetchedFor = 0;

/**
 * After a start of the hub its tables may have other languages. Once the hub is set up, speak one of them.
 * @param {number} epoch
 * @param {boolean} isNew
 */
async function adaptLanguage(epoch, isNew) {
  if (epoch !== fetchedFor) {
    const known = await fetchLanguages().catch(() => null);
    if (!known) return;
    fetchedFor = epoch;
    languages = known.tables[table] ?? [];
    allLanguages = Object.keys(known.languages);
  }
  if (isNew || !languages.length || languages.includes(languageNow())) return;
  await loadLanguage(languages);
  draw();
}

function Kiosk() {
  const [state, setState] = useState(/** @type {ScreenState | null} */ (null));
  const [away, setAway] = useState(false);
  const [refused, setRefused] = useState(false);
  const shown = useMemo(() => shownOf(state), [state]);
  const gameLabels = useLabels(shown?.game);
  const isReady = gameLabels !== undefined; // before, a match would be shown in the hub's internal words
  const labels = useMemo(
    () => withDeck(gameLabels ?? null, shown?.view?.table, shown?.view?.seats),
    [gameLabels, shown],
  );

  useEffect(() => {
    /** @type {(next: ScreenState) => void} */
    const show = setState;
    const withAll = withEvents(show);
    let own = false;
    onRefused = setRefused;
    const stream = subscribe(`/t/${table}/screen/events`, {
      onState: (next) => {
        own = "claim_codes" in next;
        withAll(complete(next));
      },
      onAway: setAway,
      onData: () => screen.beat(own),
      open: (address) => screen.open(address),
    });
    return () => stream.close();
  }, []);

  useLanguagesInTurn(state);
  useSound(state, away); // only for this table's matches: a demonstration is silent

  if (!state || !shown || away) return html`<${Splash} />`;
  const inPlay = isReady && (shown.state === "playing" || shown.state === "stopped");
  const demonstrated = shown === state ? null : state.demonstration;
  const isAsked = state.question && !state.question.reads; // what is read aloud is on the felt
  return html`<div class=${`screen ${shown.state}${demonstrated ? " demonstration" : ""}`}>
    <main aria-busy=${!isReady}>
      ${inPlay && html`<${TableTop} labels=${labels} state=${shown} /><${Now} labels=${labels} state=${shown} />`}
      ${isReady && shown.state === "over" && shown.over && html`<${Winner} labels=${labels} state=${shown} />`}
      ${shown.state === "lobby" && (needsSetup(state) ? html`<${FirstRun} state=${state} />` : html`<${Welcome} state=${state} />`)}
    </main>
    ${
      (isAsked || state.starting || state.paused != null) &&
      html`<div class="questions">
        <${Together} state=${state} />
      </div>`
    }
    ${state.notices.length > 0 && html`<div class="notices"><${Notices} state=${state} /></div>`}
    ${
      refused &&
      html`<div class="notices">
        <p class="notice">
          This screen's link is no longer valid, so it shows no seat codes. Staff: open the new link here. The staff page shows it with the table.
        </p>
      </div>`
    }
    ${isReady && demonstrated && html`<${Invitation} state=${state} game=${demonstrated.game} />`}
    ${!state.demonstration && state.state !== "lobby" && html`<${Foot} state=${state} />`}
    ${state.light < 100 && html`<div class="night" style=${{ opacity: 0.7 - (0.7 * state.light) / 100 }}></div>`}
  </div>`;
}

/**
 * Return the state to draw: the real one, or the demonstration in place of its match, with the same table and codes.
 * @param {ScreenState | null} state
 * @returns {ScreenState | null}
 */
const shownOf = (state) => (state?.demonstration && !needsSetup(state) ? { ...state, ...state.demonstration } : state);

function Splash() {
  return html`<main class="splash">
    <svg class="splash-ring" viewBox="0 0 64 64" aria-hidden="true"><circle cx="32" cy="32" r="24" /></svg>
    <h1 class="headline">Waiting for the hub</h1>
  </main>`;
}

const page = /** @type {HTMLElement} */ (document.getElementById("page"));

/**
 * Draw the screen in the language of the page, and again after a change of language.
 */
const draw = () => render(html`<${Kiosk} key=${languageNow()} />`, page);

fetchLanguages().then(async (known) => {
  languages = known?.tables[table] ?? [];
  allLanguages = Object.keys(known?.languages ?? {});
  await loadLanguage(languages);
  draw();
}, draw);
