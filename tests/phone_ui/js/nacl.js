// Give the modules under test what a page loads by a script element: tweetnacl as a global. Import this file first.

import { createRequire } from "node:module";

const require = createRequire(new URL("../../../phone_ui/package.json", import.meta.url));
/** @type {any} */ (globalThis).nacl = require("tweetnacl");
