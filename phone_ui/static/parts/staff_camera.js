// The camera over a table's dice tray, for staff: what it sees and reads, and its calibration in two steps.

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { say } from "../lib/language.js";

/** @import { CameraSeen, StaffRequests } from "../lib/messages.d.ts" */
/** @typedef {StaffRequests["camera"]["step"]} Step */

const EVERY = 700; // ms between two pictures

/**
 * What each step says, and the button that goes on to the next.
 * @type {Record<CameraSeen["step"], { text: () => string, button: () => string, next: Step }>}
 */
const STEPS = {
  empty: {
    text: () => say("Step 1 of 2: Empty the tray. Place and light it as you do when you play."),
    button: () => say("The tray is empty"),
    next: "empty",
  },
  die: {
    text: () => say("Step 2 of 2: Lay one die flat into the middle, and nothing else."),
    button: () => say("The die is in place"),
    next: "die",
  },
  ready: {
    text: () => say("The camera is calibrated. Throw some dice to see what it reads."),
    button: () => say("Calibrate again"),
    next: "again",
  },
};

/** @param {{ table: string, look: (table: string, step: Step) => Promise<CameraSeen | null> }} props */
export function StaffCamera({ table, look }) {
  const [isOpen, setIsOpen] = useState(false);
  return html`<details class="part" open=${isOpen} onToggle=${(/** @type {any} */ event) => setIsOpen(event.target.open)}>
    <summary>Dice camera</summary>
    ${isOpen && html`<${View} table=${table} look=${look} />`}
  </details>`;
}

/** @param {{ table: string, look: (table: string, step: Step) => Promise<CameraSeen | null> }} props */
function View({ table, look }) {
  const [seen, setSeen] = useState(/** @type {CameraSeen | null} */ (null));
  const [taken, setTaken] = useState(/** @type {CameraSeen["step"] | null} */ (null)); // the step that was just sent
  const next = useRef(/** @type {Step} */ ("look"));
  useEffect(() => {
    let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
    let isClosed = false;
    const show = async () => {
      const step = next.current;
      next.current = "look";
      const answer = await look(table, step);
      if (isClosed) return;
      if (answer) setSeen(answer);
      timer = setTimeout(show, EVERY);
    };
    show();
    return () => {
      isClosed = true;
      clearTimeout(timer);
    };
  }, [table]);
  useEffect(() => {
    if (seen && (seen.step !== taken || seen.text)) setTaken(null);
  }, [seen, taken]);
  if (!seen?.picture) return html`<p role="status">${seen?.text || say("The camera starts…")}</p>`;
  const { text, button, next: step } = STEPS[seen.step];
  const take = (/** @type {Step} */ chosen) => {
    next.current = chosen;
    setTaken(seen.step);
  };
  return html`<img class="camera" alt="" src=${`data:image/jpeg;base64,${seen.picture}`} />
    <p>${text()}</p>
    <p role="status">${taken ? say("One moment…") : seen.text}</p>
    <div class="does">
      <button type="button" class=${`do ${seen.step === "ready" ? "" : "primary"}`} disabled=${Boolean(taken)} onClick=${() => take(step)}>
        ${button()}
      </button>
      ${
        seen.step === "die" &&
        html`<button type="button" class="do" disabled=${Boolean(taken)} onClick=${() => take("again")}>
          Back to step 1
        </button>`
      }
    </div>`;
}
