// The page's script: see browser.mjs. Our package is imported from its own files, as a page without a bundler would do it.

import { rates } from "./measure.mjs";
import { exactPeers } from "./peers.mjs";

try {
  const { init, loadEncoding } = await import("/pkg/web.js");
  await init();
  const texts = await (await fetch("/texts.json")).json();
  const out = {};
  for (const name of ["o200k_base", "cl100k_base"]) {
    const encoding = await loadEncoding(name);
    const ours = { name: "contextfold", count: (text) => encoding.count(text), encode: (text) => encoding.encode(text) };
    out[name] = rates([ours, ...exactPeers(name)], texts);
  }
  globalThis.rates = out;
} catch (error) {
  globalThis.failure = String(error?.stack ?? error);
}
