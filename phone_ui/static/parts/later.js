// A part that is loaded when it is first shown: not everybody opens it, and the first visit stays light.

import { html, useEffect, useState } from "../lib/html.js";

/**
 * Return a component that loads the true one.
 * @param {() => Promise<any>} load
 */
export function later(load) {
  /** @type {any} */
  let Part;
  return function Later(/** @type {any} */ props) {
    const [state, setState] = useState(Part ? "here" : "");
    useEffect(() => {
      const loaded = (/** @type {any} */ part) => {
        Part = part;
        setState("here");
      };
      // It may have come for another place since this one was first drawn.
      if (Part) loaded(Part);
      else load().then(loaded, () => setState("failed"));
    }, []);
    if (state === "failed") return html`<p role="alert">The hub does not answer just now. Open this once more.</p>`;
    return state ? html`<${Part} ...${props} />` : html`<template data-coming />`; // shown nowhere: it says what is to come
  };
}
