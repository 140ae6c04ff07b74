// Load parts of a page when they are first shown, so that the first visit stays small.

import { html, useEffect, useState } from "../lib/html.js";

const AGAIN = 3_000;

/**
 * Load a style sheet once. Rejects if the hub does not send it now.
 * @param {string} name
 */
async function style(name) {
  const href = `/static/parts/${name}`;
  if (document.querySelector(`link[href="${href}"]`)) return;
  const { ok } = await fetch(href); // a link element that fails would reload the whole page
  if (!ok) throw new Error(name);
  await new Promise((resolve) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: resolve });
    document.head.append(link);
  });
}

/**
 * Return a component that loads the real one and its style sheets, and retries if that fails: people do not open a hint
 * or a lesson again.
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
      // It may have been loaded for another place since this one was first drawn.
      const tryIt = () => (Part ? loaded(Part) : loadAll().then(loaded, failed));
      tryIt();
      return () => clearTimeout(timer);
    }, []);
    if (state === "failed") return html`<p role="alert">The hub does not answer right now. The page keeps trying.</p>`;
    return state ? html`<${Part} ...${props} />` : html`<template data-coming />`; // invisible: marks a part that is loading
  };
}
