// One fresh process: from before the import to after the first count by a tokenizer's file, in milliseconds.
// node first-count.mjs json|packed|peer FILE CONFIG

import { readFileSync } from "node:fs";
import { now } from "./measure.mjs";

const [how, file, config] = process.argv.slice(2);
const text = "The quick brown fox jumps over the lazy dog.";
const start = now();
if (how === "peer") {
  const { Tokenizer } = await import("../../tests/tokenizers/node_modules/@huggingface/tokenizers/dist/tokenizers.mjs");
  const [json, settings] = [file, config].map((path) => JSON.parse(readFileSync(path, "utf8")));
  new Tokenizer(json, settings).encode(text);
} else {
  const { loadTokenizer } = await import("contextfold");
  (await loadTokenizer(readFileSync(file))).count(text);
}
console.log(now() - start);
