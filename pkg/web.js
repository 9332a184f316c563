// For browsers, with or without a bundler. Nothing works until `await init()`.

import { initFrom } from "./fetch.js";

export * from "./exports.js";

/** Loads the module: by default from next to this file, or from a URL, a response, bytes or a compiled module. */
export function init(source) {
  return initFrom(source ?? new URL("./wasm/contextfold_bg.wasm", import.meta.url));
}
export default init;
