// A part that is loaded when it is first shown: not everybody opens it, and the first visit stays light.

import { html, useEffect, useState } from "../lib/html.js";

const AGAIN = 3_000;

/**
 * Return a component that loads the true one, and tries again while that fails: nobody opens a hint or a lesson once more.
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
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer;
      const failed = () => {
        setState("failed");
        timer = setTimeout(tryIt, AGAIN);
      };
      // It may have come for another place since this one was first drawn.
      const tryIt = () => (Part ? loaded(Part) : load().then(loaded, failed));
      tryIt();
      return () => clearTimeout(timer);
    }, []);
    if (state === "failed") return html`<p role="alert">The hub does not answer just now. This comes by itself.</p>`;
    return state ? html`<${Part} ...${props} />` : html`<template data-coming />`; // shown nowhere: it says what is to come
  };
}
