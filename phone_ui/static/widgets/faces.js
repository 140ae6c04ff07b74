// The faces of dice that only this seat may see. Fetched when needed.

import { html } from "../lib/html.js";
import { FaceEntry } from "../parts/face_pad.js";

/** @import { WidgetProps } from "../lib/types.d.ts" */

/** @param {WidgetProps} props */
export function Faces({ field, onChange }) {
  return html`<div class="face-pad">
    <${FaceEntry} faces=${field.value ?? []} count=${field.max} sides=${field.sides ?? 0} onFaces=${onChange} />
  </div>`;
}
