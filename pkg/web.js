// Browsers, with a bundler or without: nothing runs until `await init()`.

import { initFrom } from "./fetch.js";

export * from "./exports.js";

/** Loads the module: from beside this file, or from a URL, a response, bytes or a compiled module. */
export function init(source) {
  return initFrom(source ?? new URL("./wasm/contextfold_bg.wasm", import.meta.url));
}
export default init;
