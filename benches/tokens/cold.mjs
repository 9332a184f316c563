// In one fresh process: milliseconds from before the import to after the first exact count.
// node cold.mjs WHICH

import { now } from "./measure.mjs";

const which = process.argv[2];
// The sentence consists of whole tokens; with LONGER=1, a page of text that needs all tables follows.
const longer = process.env.LONGER ? ` ${"An unremarkable qzxvw, again and again; ".repeat(200)}` : "";
const text = "The quick brown fox jumps over the lazy dog." + longer;
const start = now();
const count = await {
  async contextfold() {
    const { loadEncoding } = await import("contextfold");
    return (await loadEncoding("o200k_base")).count(text);
  },
  async "gpt-tokenizer"() {
    return (await import("gpt-tokenizer/encoding/o200k_base")).countTokens(text);
  },
  async "ai-tokenizer"() {
    const [{ Tokenizer }, encoding] = await Promise.all([import("ai-tokenizer"), import("ai-tokenizer/encoding/o200k_base")]);
    return new Tokenizer(encoding).count(text);
  },
  async "js-tiktoken"() {
    const [{ Tiktoken }, { default: ranks }] = await Promise.all([import("js-tiktoken/lite"), import("js-tiktoken/ranks/o200k_base")]);
    return new Tiktoken(ranks).encode(text).length;
  },
  async tiktoken() {
    return (await import("tiktoken")).get_encoding("o200k_base").encode_ordinary(text).length;
  },
}[which]();
if (!longer && count !== 10) throw new Error(`${which} counts ${count}, not 10`);
console.log(now() - start);
