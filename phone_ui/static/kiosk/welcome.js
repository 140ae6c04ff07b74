// Before a match: the games, the seats, and how to sit down.

import { html, useEffect, useState } from "../lib/html.js";
import { say } from "../lib/language.js";
import { ChosenOptions } from "../parts/chosen_options.js";
import { coloursOf, Title } from "../parts/felt.js";
import { seatStateText } from "../parts/lobby.js";
import { Mark } from "../parts/marks.js";
import { PutAsideList } from "../parts/questions.js";
import { useLabels } from "../parts/use_labels.js";
import { HowToJoin } from "./how_to_join.js";
import { codeOf, offerText, StaffPin } from "./joining.js";

/** @import { GameOffer, PublicSeat, ScreenState } from "../lib/messages.d.ts" */

const SHOW_GAME = 6_500;

/**
 * Before a match: how to sit down, and the games to play.
 * @param {{ state: ScreenState }} props
 */
export function Welcome({ state }) {
  const { kit } = state;
  return html`<section class="welcome" aria-label="Join">
    <div class="welcome-left">
      <p class="welcome-name">${state.name}</p>
      ${state.staff_pin && html`<${StaffPin} state=${state} />`}
      <${Attract} state=${state} />
      ${kit && kit.weak.length > 0 && html`<p class="welcome-kit">${say("Charge before you play: {devices}", { devices: kit.weak.join(", ") })}</p>`}
      <${PutAsideList} state=${state} />
      <ul class="welcome-seats">
        ${state.seats.map((place) => html`<${WelcomeSeat} key=${place.seat} state=${state} place=${place} />`)}
      </ul>
    </div>
    <div class="welcome-right"><${HowToJoin} state=${state} /></div>
  </section>`;
}

/**
 * The chosen game, else all games in turn.
 * @param {{ state: ScreenState }} props
 */
function Attract({ state }) {
  const [shown, setShown] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setShown((i) => i + 1), SHOW_GAME);
    return () => clearInterval(timer);
  }, []);
  const seated = state.seats.filter((place) => place.held || place.ready).length;
  const fitting = state.games.filter(({ seats }) => seats[1] >= seated);
  const games = fitting.length ? fitting : state.games; // no game for that number of players: show all
  /** @type {GameOffer | undefined} */
  const game = state.games.find((one) => one.name === state.game) ?? games[shown % games.length];
  const labels = useLabels(game?.name);
  if (!game) return null;
  const look = labels?.screen?.look;
  const chosen = game.name === state.game;
  const preset = chosen && game.presets.find(({ name }) => name === state.preset);
  return html`<div class=${`attract${look ? " faced" : ""}`} key=${game.name} style=${coloursOf(look)}>
    <h1>${look ? html`<${Title} look=${look} title=${game.title} />` : game.title}</h1>
    <p class="attract-blurb">${game.blurb}</p>
    <p class="attract-meta">${offerText(game)}</p>
    ${preset && html`<p class="attract-preset"><b>${say(preset.name)}</b>${preset.effect && `: ${say(preset.effect)}`}</p>`}
    ${chosen && !preset && html`<p class="attract-preset"><${ChosenOptions} labels=${labels} state=${state} options=${state.options} /></p>`}
    ${chosen && game.lacks.map((text) => html`<p key=${text} class="attract-lacks">${text}</p>`)}
  </div>`;
}

/** @param {{ state: ScreenState, place: PublicSeat }} props */
function WelcomeSeat({ state, place }) {
  const { seat, name } = place;
  const code = codeOf(state, seat);
  const claiming = state.claiming.includes(seat);
  const here = place.held || place.ready;
  const text = here ? name || seatStateText(place) : "free";
  return html`<li class=${claiming ? "claiming" : here ? "here" : "free"}>
    <${Mark} seat=${seat} /><span class="who-number">${seat}</span>
    <span class="welcome-who" style=${{ "--letters": text.length + (place.ready && name ? 8 : 0) }}>${claiming ? (place.held ? say("look at your box") : say("press the button")) : text}</span>
    ${
      code
        ? html`<span class="welcome-code" translate="no">${code}</span>`
        : place.ready && name && html`<span class="welcome-code">ready ✓</span>`
    }
  </li>`;
}
