// What `/vendor/htm-preact.js` gives: htm's `html`, bound to Preact, with Preact's hooks.

import type { VNode } from "preact";

export { render } from "preact";
export { useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
export function html(strings: TemplateStringsArray, ...values: unknown[]): VNode;
