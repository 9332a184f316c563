// In one fresh process: milliseconds from the bytes of a tokenizer's file to the first count. The library is imported before.
// node first-count.mjs json|packed|peer FILE CONFIG

import { readFileSync } from "node:fs";
import { now } from "./measure.mjs";

const [how, file, config] = process.argv.slice(2);
const text = "The quick brown fox jumps over the lazy dog.";
const [bytes, settings] = [file, config].map((path) => readFileSync(path));
const peer = how === "peer";
const library = await import(peer ? "../../tests/tokenizers/node_modules/@huggingface/tokenizers/dist/tokenizers.mjs" : "contextfold");
const start = now();
if (peer) new library.Tokenizer(...[bytes, settings].map((bytes) => JSON.parse(bytes.toString()))).encode(text);
else (await library.loadTokenizer(bytes)).count(text);
console.log(now() - start);
