// Before a match: the players, the game and its options.

import { html, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { message, say, sayCount } from "../lib/language.js";
import { inForce } from "../lib/options.js";
import { isHouse, seatText } from "../lib/seats.js";
import { ActionButton } from "./ask.js";
import { ChosenOptions } from "./chosen_options.js";
import { later } from "./later.js";
import { Marks, Who } from "./marks.js";
import { TableChoices } from "./table_choices.js";
import { useLabels } from "./use_labels.js";

/** @import { Ask, Drawn, Facts as Plain } from "../lib/types.d.ts" */
/** @import { GameOffer, PublicSeat, PublicState } from "../lib/messages.d.ts" */

const PutAsideList = later(() => import("./questions.js").then((part) => part.PutAsideList));
const Options = later(() => import("./options.js").then((part) => part.Options), "options.css");
const FirstOptions = later(() => import("./options.js").then((part) => part.FirstOptions), "options.css");

/** Milliseconds after which screen readers announce changes, when a person has finished typing or tapping. */
const TOLD_AFTER = 400;

/** The strengths of the house, from the weakest. */
const STRENGTHS = [message("easy"), message("steady"), message("sharp")];

/** @param {GameOffer["seats"]} seats */
const playersText = ([least, most]) =>
  least === most
    ? sayCount("{count} player", "{count} players", least)
    : say("{least} to {most} players", { least, most });

/**
 * The seats of the table, and what each is doing.
 * @param {{ state: PublicState, mine: number | null, sending: string | null, ask?: Ask }} props
 */
function SeatList({ state, mine, sending, ask }) {
  const between = state.state === "lobby" || state.state === "over";
  return html`<ul class="seat-list">
    ${state.seats.map((place) => {
      const isMine = place.seat === mine;
      const free = place.held || place.box === "on" ? "" : " free";
      return html`<li key=${place.seat} class=${`seat-line${isMine ? " mine" : ""}${free}`}>
        <${Who} state=${state} seat=${place.seat} number />
        ${
          ask && between && (!place.held || isHouse(place))
            ? html`<${HousePlayer} place=${place} sending=${sending} ask=${ask} />`
            : html`<span class="seat-state">${seatStateText(place, isMine)}</span>`
        }
        ${
          ask &&
          place.held &&
          !isMine &&
          !isHouse(place) &&
          (place.presence !== "here" || place.phone === "none") &&
          html`<button
            type="button"
            class="small-act"
            disabled=${Boolean(sending)}
            aria-label=${say("Free seat {seat}", { seat: place.seat })}
            onClick=${() => ask("free", { seat: place.seat }, `free ${place.seat}`)}
          >
            Free
          </button>`
        }
      </li>`;
    })}
  </ul>`;
}

/**
 * The player of a free seat: the house with a strength, or nobody.
 * @param {{ place: PublicSeat, sending: string | null, ask: Ask }} props
 */
function HousePlayer({ place, sending, ask }) {
  const name = `house ${place.seat}`;
  const onPick = (/** @type {any} */ event) => ask("house", { seat: place.seat, strength: event.target.value }, name);
  const kinds = [
    ["", place.box === "on" ? say("press to join") : say("nobody yet")],
    ...STRENGTHS.map((strength) => [strength, say("the house, {strength}", { strength: say(strength) })]),
  ];
  return html`<select
    class="seat-player"
    aria-label=${say("Who plays at seat {seat}?", { seat: place.seat })}
    disabled=${Boolean(sending)}
    onChange=${onPick}
  >
    ${kinds.map(([value, words]) => html`<option value=${value} selected=${value === place.house}>${words}</option>`)}
  </select>`;
}

/**
 * Return what a seat is doing, in two words.
 * @param {PublicSeat} place
 * @param {boolean} [mine]
 */
export function seatStateText(place, mine = false) {
  if (isHouse(place)) return say("plays {strength}", { strength: say(place.house) });
  if (place.house) return say("the house plays on");
  if (place.ready) return mine ? say("you, ready ✓") : say("ready ✓");
  if (place.held && place.phone === "away" && place.presence === "away") return mine ? say("you, away") : say("away");
  if (place.held && place.phone === "away") return mine ? say("you, phone asleep") : say("phone asleep");
  if (place.held) return mine ? say("you, here") : say("here");
  return place.box === "on" ? say("press to join") : say("free");
}

/**
 * Choose a game, review its options, start.
 * @param {{ state: PublicState, seat: number | null, sending: string | null, ask: Ask }} props
 */
export function Lobby({ state, seat, sending, ask }) {
  const [game, setGame] = useState(/** @type {string | null} */ (null));
  // The options changed here.
  const [changed, setChanged] = useState(/** @type {Plain | null} */ (null));
  const picked = game ?? state.game ?? null;
  const offer = state.games.find((one) => one.name === picked);
  const shared = picked === state.game ? state.options : {};
  const options = changed ?? shared;
  const pick = (/** @type {string} */ name) => {
    setGame(name);
    if (seat) ask("wish", { game: name });
  };
  const labels = useLabels(picked);
  // The timer of a change made here that the hub may not know yet.
  const pendingWish = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  // The table's options have changed meanwhile.
  const isBehind = useRef(false);
  useLayoutEffect(() => {
    isBehind.current = Boolean(pendingWish.current);
    if (!isBehind.current) setChanged(null);
  }, [picked, JSON.stringify(shared)]);
  const forget = () => {
    clearTimeout(pendingWish.current);
    pendingWish.current = undefined;
  };
  const pickPreset = (/** @type {string} */ name, /** @type {Plain} */ its) => {
    forget();
    setChanged(its);
    if (seat && picked) ask("wish", { game: picked, preset: name });
  };
  const choose = (/** @type {string} */ name, /** @type {any} */ value) => {
    const next = { ...options, [name]: value };
    setChanged(next);
    clearTimeout(pendingWish.current);
    const timer = setTimeout(async () => {
      if (picked) await ask("wish", { game: picked, options: inForce(labels, next) });
      if (pendingWish.current !== timer) return;
      pendingWish.current = undefined;
      if (isBehind.current) setChanged(null);
    }, TOLD_AFTER);
    pendingWish.current = timer;
  };
  useLayoutEffect(() => forget, [picked]);
  const about = { state, labels: labels ?? null, chosen: options, onChange: choose };
  const hasOptions = Object.keys(labels?.options ?? {}).length > 0;
  return html`<div class="lobby">
    ${
      state.put_aside?.length > 0 &&
      html`<${PutAsideList} state=${state} seat=${seat} sending=${sending} ask=${seat ? ask : undefined} />`
    }
    <h1 class="headline">What shall we play?</h1>
    ${!seat && html`<p>The people at the table choose. Take a seat to join in.</p>`}
    <fieldset class="field">
      <legend class="unseen">Game</legend>
      <div class="choices in-column">
        ${state.games.map(
          (offer) => html`<div key=${offer.name} class="game-choice">
            <${GameChoice}
              offer=${offer}
              checked=${picked === offer.name}
              disabled=${!seat}
              wished=${state.seats.filter((place) => place.wish === offer.name).map((place) => place.seat)}
              onPick=${() => pick(offer.name)}
              chosen=${picked === offer.name && html`<${ChosenOptions} labels=${labels} state=${state} options=${inForce(labels, options)} />`}
            />
            ${
              picked === offer.name &&
              offer.presets.length > 0 &&
              html`<${Presets} offer=${offer} options=${options} disabled=${!seat} onPick=${pickPreset} />`
            }
            ${seat && hasOptions && picked === offer.name && html`<${FirstOptions} ...${about} />`}
          </div>`,
        )}
      </div>
    </fieldset>
    ${seat && hasOptions && html`<${Options} ...${about} />`}
    <h2>At the table</h2>
    <${SeatList} state=${state} mine=${seat} sending=${sending} ask=${seat ? ask : undefined} />
    ${seat && html`<${TableChoices} state=${state} offer=${offer} labels=${labels} sending=${sending} ask=${ask} />`}
    ${
      seat &&
      html`<${LobbyDock} state=${state} seat=${seat} game=${picked} options=${inForce(labels, options)} sending=${sending} ask=${ask} />`
    }
  </div>`;
}

/**
 * The presets of options, each with its effect in one line.
 * @param {{ offer: GameOffer, options: Plain, disabled: boolean, onPick: (name: string, options: Plain) => void }} props
 */
function Presets({ offer, options, disabled, onPick }) {
  const kinds = [{ name: "", effect: say("As in the rules."), options: {} }, ...offer.presets];
  return html`<fieldset class="field presets">
    <legend>How?</legend>
    <div class="choices in-column">
      ${kinds.map(
        (kind) => html`<label key=${kind.name} class="choice">
          <input
            type="radio"
            name="preset"
            value=${kind.name}
            checked=${isSame(kind.options, options)}
            disabled=${disabled}
            onChange=${() => onPick(kind.name, kind.options)}
          />
          <span class="choice-body line game">
            <span class="choice-words">${kind.name || say("The usual game")}</span>
            <span class="choice-note">${kind.effect}</span>
          </span>
        </label>`,
      )}
    </div>
  </fieldset>`;
}

/**
 * @param {Plain} one
 * @param {Plain} other
 */
const isSame = (one, other) =>
  Object.keys({ ...one, ...other }).every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));

/**
 * @param {{
 *   offer: GameOffer, checked: boolean, disabled: boolean, wished: number[], onPick: () => void, chosen: Drawn,
 * }} props
 */
function GameChoice({ offer, checked, disabled, wished, onPick, chosen }) {
  const players = playersText(offer.seats);
  return html`<label class="choice">
    <input type="radio" name="game" value=${offer.name} checked=${checked} disabled=${disabled} onChange=${onPick} />
    <span class="choice-body line game">
      <span class="choice-words">${offer.title}</span>
      <span class="choice-note">${offer.blurb}</span>
      <span class="choice-meta">
        ${offer.minutes ? say("{players}, about {minutes} min", { players, minutes: offer.minutes }) : players}
        ${
          wished.length > 0 &&
          html`<span class="wished"> · <span>requested by</span> <${Marks} seats=${wished} />
          <span class="unseen">${wished.map((seat) => seatText(seat)).join(", ")}</span></span>`
        }
      </span>
      ${chosen}
      ${offer.lacks.map((text) => html`<span key=${text} class="choice-lacks">${text}</span>`)}
    </span>
  </label>`;
}

/**
 * @param {{
 *   state: PublicState, seat: number, game: string | null, options: Plain, sending: string | null, ask: Ask,
 * }} props
 */
function LobbyDock({ state, seat, game, options, sending, ask }) {
  const seated = state.seats.filter((place) => place.held && place.presence !== "away").length;
  const offer = state.games.find((one) => one.name === game);
  const fits = offer && seated >= offer.seats[0] && seated <= offer.seats[1];
  const me = state.seats.find((place) => place.seat === seat);
  return html`<div class="dock" role="group" aria-label="Actions">
    ${
      offer &&
      !fits &&
      html`<p class="dock-note">
        ${sayCount("{game} is for {players}; {count} is here.", "{game} is for {players}; {count} are here.", seated, {
          game: offer.title,
          players: playersText(offer.seats),
        })}
      </p>`
    }
    <div class="acts">
      <${ActionButton}
        primary
        label=${offer ? say("Start {game}", { game: offer.title }) : say("Choose a game")}
        name="start"
        ready=${Boolean(fits)}
        sending=${sending}
        onPress=${() => game && ask("start", { game, options }, "start")}
      />
      ${
        me &&
        html`<${ActionButton}
          label=${me.ready ? say("Not ready yet") : say("I am ready")}
          name="ready"
          sending=${sending}
          onPress=${() => ask("ready", { ready: !me.ready }, "ready")}
        />`
      }
    </div>
  </div>`;
}
