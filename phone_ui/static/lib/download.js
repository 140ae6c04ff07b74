// Saving a file that arrived in an encrypted answer, so that it has no address at the hub.

import { fromBase64 } from "./encryption.js";
import { save } from "./save.js";

/** @import { StaffFile } from "./messages.d.ts" */

/**
 * Let the browser save a file.
 * @param {StaffFile} file
 */
export const download = ({ name, type, data }) => save(name, type, fromBase64(data));
