// A guided first round: a rule in a sentence, and an outline around the part of the screen that it is about.

import { litPart } from "../lib/guide.js";
import { html, useEffect, useState } from "../lib/html.js";
import { Sentence } from "./marks.js";
import { useGuide } from "./use_guide.js";

/** @import { Lesson } from "../lib/types.d.ts" */
/** @import { Hand, PublicState } from "../lib/messages.d.ts" */

/**
 * Outline a part of the page while this is mounted, even if the part is drawn again.
 * @param {string} part
 */
function useLit(part) {
  useEffect(() => {
    const light = () => {
      for (const one of document.querySelectorAll("[data-part]")) {
        const lit = part && one.getAttribute("data-part") === part;
        if (lit !== one.hasAttribute("data-lit")) one.toggleAttribute("data-lit", Boolean(lit));
      }
    };
    light();
    const drawn = new MutationObserver(light);
    drawn.observe(document.body, { childList: true, subtree: true });
    return () => {
      drawn.disconnect();
      for (const one of document.querySelectorAll("[data-lit]")) one.removeAttribute("data-lit");
    };
  }, [part]);
}

/**
 * The sentence, with the rule's id in small print.
 * @param {{ state: PublicState, lesson: Lesson, to: "asked" | "all" }} props
 */
function LessonText({ state, lesson, to }) {
  const text = (to === "asked" && lesson.say) || lesson.all;
  return html`<p class="lesson-text">
    <${Sentence} state=${state} text=${text} /> <small class="rule-id">${lesson.rule}</small>
  </p>`;
}

/**
 * The lesson on a phone, complete: for its seat, or for everybody if it only watches. It disappears once it has been read.
 * @param {{ state: PublicState, hand: Hand | null, sending: string | null, onSkip?: () => void }} props
 */
export function PhoneLesson({ state, hand, sending, onSkip }) {
  const guide = useGuide(state.game);
  const [read, setRead] = useState("");
  const now = hand ? hand.lesson : state.teaching?.lesson ? { key: state.teaching.lesson, to: "all" } : null;
  const to = now?.to === "asked" ? "asked" : "all";
  const moment = `${state.match}/${now?.key}/${to}`;
  const lesson = now && read !== moment && guide?.lesson.find((one) => one.key === now.key);
  useLit(lesson ? litPart(lesson, to) : "");
  if (!lesson) return null;
  return html`<aside class="lesson" aria-label="A rule for this moment">
    <div aria-live="polite"><${LessonText} state=${state} lesson=${lesson} to=${to} /></div>
    <div class="lesson-acts">
      <button type="button" class="lesson-act" onClick=${() => setRead(moment)}>OK</button>
      ${
        onSkip &&
        html`<button type="button" class="lesson-act" disabled=${Boolean(sending)} onClick=${onSkip}>
          No more rules
        </button>`
      }
    </div>
  </aside>`;
}

/**
 * The lesson for everybody, on the table's screen. During the first round its room is reserved, so nothing moves.
 * @param {{ state: PublicState }} props
 */
export function RoomLesson({ state }) {
  const guide = useGuide(state.game);
  const key = state.teaching?.lesson;
  const lesson = key ? guide?.lesson.find((one) => one.key === key) : undefined;
  useLit(lesson ? litPart(lesson, "all") : "");
  const isFirst = (state.view?.round ?? 0) <= 1;
  if (!state.teaching || (!lesson && !isFirst)) return null;
  return html`<aside class=${`lesson${lesson ? "" : " waiting"}`} aria-label="A rule for this moment">
    ${
      lesson
        ? html`<${LessonText} state=${state} lesson=${lesson} to="all" />`
        : html`<p class="lesson-text">In this first round, each rule is explained when it is needed.</p>`
    }
  </aside>`;
}
