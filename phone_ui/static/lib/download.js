// Saving a file that arrived in an encrypted answer, so that it has no address at the hub.

import { fromBase64 } from "./encryption.js";

/** @import { StaffFile } from "./messages.d.ts" */

const KEPT = 300_000; // Safari asks first, and reads the file after the answer

/**
 * Let the browser save a file.
 * @param {StaffFile} file
 */
export function download({ name, type, data }) {
  const url = URL.createObjectURL(new Blob([fromBase64(data)], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), KEPT);
}
