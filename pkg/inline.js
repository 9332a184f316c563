// The module inside the script, for places that cannot have a second file: extensions, single-file pages.

import { initFrom } from "./fetch.js";
import base64 from "./wasm/base64.js";

export * from "./exports.js";

/** Loads the module from this script; `source` is there so that the entries can stand for each other. */
export function init(source) {
  return initFrom(source ?? bytes());
}
export default init;

function bytes() {
  return Uint8Array.fromBase64?.(base64) ?? Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}
