// The peers that count exactly, each as `{ name, count, encode }`. Used in Node and, bundled, in a page.

import { Tokenizer } from "ai-tokenizer";
import * as aiO200k from "ai-tokenizer/encoding/o200k_base";
import * as aiCl100k from "ai-tokenizer/encoding/cl100k_base";
import * as gptO200k from "gpt-tokenizer/encoding/o200k_base";
import * as gptCl100k from "gpt-tokenizer/encoding/cl100k_base";
import { Tiktoken } from "js-tiktoken/lite";
import jsO200k from "js-tiktoken/ranks/o200k_base";
import jsCl100k from "js-tiktoken/ranks/cl100k_base";

const AI = { o200k_base: aiO200k, cl100k_base: aiCl100k };
const GPT = { o200k_base: gptO200k, cl100k_base: gptCl100k };
const JS = { o200k_base: jsO200k, cl100k_base: jsCl100k };

/** `wasmTiktoken`: `get_encoding` of the package `tiktoken`, if it can be loaded. */
export function exactPeers(encoding, wasmTiktoken) {
  const gpt = GPT[encoding];
  const ai = new Tokenizer(AI[encoding]);
  const js = new Tiktoken(JS[encoding]);
  const none = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
  const peers = [
    { name: "gpt-tokenizer", count: (text) => gpt.countTokens(text, none), encode: (text) => gpt.encode(text, none) },
    { name: "ai-tokenizer", count: (text) => ai.count(text), encode: (text) => ai.encode(text) },
    { name: "js-tiktoken", count: (text) => js.encode(text, [], []).length, encode: (text) => js.encode(text, [], []) },
  ];
  if (wasmTiktoken) {
    const wasm = wasmTiktoken(encoding);
    peers.push({ name: "tiktoken", count: (text) => wasm.encode_ordinary(text).length, encode: (text) => wasm.encode_ordinary(text) });
  }
  return peers;
}
