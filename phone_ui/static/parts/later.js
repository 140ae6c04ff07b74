// A part that is loaded when it is first shown: not everybody opens it, and the first visit stays light.

import { html, useEffect, useState } from "../lib/html.js";

const AGAIN = 3_000;

/**
 * Load a style sheet of parts, once; rejects if the hub has none now.
 * @param {string} name
 */
async function style(name) {
  const href = `/static/parts/${name}`;
  if (document.querySelector(`link[href="${href}"]`)) return;
  const { ok } = await fetch(href); // a link that fails would load the whole page again
  if (!ok) throw new Error(name);
  await new Promise((resolve) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: resolve });
    document.head.append(link);
  });
}

/**
 * Return a component that loads the true one and its style sheets, and tries again while that fails: nobody opens a hint or
 * a lesson once more.
 * @param {() => Promise<any>} load
 * @param {...string} sheets
 */
export function later(load, ...sheets) {
  const loadAll = () => Promise.all([load(), ...sheets.map(style)]).then(([part]) => part);
  /** @type {any} */
  let Part;
  return function Later(/** @type {any} */ props) {
    const [state, setState] = useState(Part ? "here" : "");
    useEffect(() => {
      const loaded = (/** @type {any} */ part) => {
        Part = part;
        setState("here");
      };
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer;
      const failed = () => {
        setState("failed");
        timer = setTimeout(tryIt, AGAIN);
      };
      // It may have come for another place since this one was first drawn.
      const tryIt = () => (Part ? loaded(Part) : loadAll().then(loaded, failed));
      tryIt();
      return () => clearTimeout(timer);
    }, []);
    if (state === "failed") return html`<p role="alert">The hub does not answer right now. The page keeps trying.</p>`;
    return state ? html`<${Part} ...${props} />` : html`<template data-coming />`; // shown nowhere: it says what is to come
  };
}
