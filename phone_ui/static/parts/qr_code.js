// A QR code drawn in the page, so that its content is sent nowhere.

import { html, useEffect, useState } from "../lib/html.js";

const QUIET = 4; // white modules around a code, required by its standard

/**
 * A text as a QR code. `label` is for screen readers.
 * @param {{ text: string, label: string }} props
 */
export function QrCode({ text, label }) {
  const [path, setPath] = useState("");
  const [size, setSize] = useState(0);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let gone = false;
    const draw = (/** @type {typeof import("/vendor/qr.js")} */ { correction, generate }) => {
      if (gone) return;
      const code = generate(text, { minCorrectionLevel: correction.M });
      let dark = "";
      for (let y = 0; y < code.size; y++) {
        for (let x = 0; x < code.size; x++) if (code.get(x, y)) dark += `M${x} ${y}h1v1h-1z`;
      }
      setPath(dark);
      setSize(code.size);
    };
    import("/vendor/qr.js").then(draw).catch(() => setFailed(true));
    return () => {
      gone = true;
    };
  }, [text]);
  if (failed) return html`<p role="alert">The code could not be drawn. Reload the page.</p>`;
  if (!size) return html`<div class="drawn-code"></div>`;
  const whole = size + 2 * QUIET;
  return html`<svg
    class="drawn-code"
    role="img"
    aria-label=${label}
    viewBox=${`${-QUIET} ${-QUIET} ${whole} ${whole}`}
    shape-rendering="crispEdges"
  >
    <path d=${path} />
  </svg>`;
}
