// htm's `html` for all pages. It translates what it draws, except in elements with `translate="no"`.

import { html as made } from "/vendor/htm-preact.js";
import { drawn } from "./language.js";

export {
  render,
  useCallback,
  useEffect,
  useErrorBoundary,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "/vendor/htm-preact.js";

/**
 * @param {TemplateStringsArray} strings
 * @param {...unknown} values
 * @returns {any}
 */
export const html = (strings, ...values) => drawn(made(strings, ...values));
