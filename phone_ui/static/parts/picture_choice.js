// A product that an owner chooses by its picture: drawn to scale, so that a large one is not taken for a small one.

import { html } from "../lib/html.js";
import { say } from "../lib/language.js";

/** @import { ChoicePicture, SettingField as Field } from "../lib/messages.d.ts" */

const BORDER = 60; // of the board around what it shows, in tenths of a millimeter

/**
 * @param {{
 *   id: string, field: Field, value: any, described: string, isRefused: boolean, onChange: (to: any) => void,
 * }} props
 */
export function PictureChoice({ id, field, value, described, isRefused, onChange }) {
  const widest = Math.max(...field.pictures.map(({ width }) => width + 2 * BORDER));
  const chosen = Math.max(0, field.choices.indexOf(value)); // the label leads to it
  return html`<div class="pictures" role="radiogroup" aria-label=${field.about} aria-describedby=${described}>
    ${field.pictures.map((picture, i) => {
      const choice = field.choices[i];
      return html`<label key=${choice} class="picture">
        <input
          id=${i === chosen ? id : undefined}
          type="radio"
          name=${id}
          checked=${choice === value}
          aria-invalid=${isRefused}
          onChange=${() => onChange(choice)}
        />
        <${Drawing} picture=${picture} widest=${widest} />
        <b translate="no">${picture.text}</b>
        <span>${picture.colors.length > 2 ? say("{columns} × {rows}, {count} colors", { columns: picture.columns, rows: picture.rows, count: picture.colors.length }) : say("{columns} × {rows}, black and white", { columns: picture.columns, rows: picture.rows })}</span>
      </label>`;
    })}
  </div>`;
}

/** @param {{ picture: ChoicePicture, widest: number }} props */
function Drawing({ picture: { width, height, colors }, widest }) {
  const stripe = width / colors.length;
  const box = `0 0 ${width + 2 * BORDER} ${height + 2 * BORDER}`;
  return html`<svg viewBox=${box} style=${{ width: `${(100 * (width + 2 * BORDER)) / widest}%` }} aria-hidden="true">
    <rect class="board" width="100%" height="100%" rx="30" />
    <rect class="paper" x=${BORDER} y=${BORDER} width=${width} height=${height} />
    ${colors.map(
      (color, i) => html`<rect
        key=${color}
        x=${BORDER + i * stripe}
        y=${BORDER + height / 2}
        width=${stripe}
        height=${height / 2}
        fill=${color}
      />`,
    )}
  </svg>`;
}
