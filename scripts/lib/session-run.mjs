// What a session does from its making to each model call while nothing has to be cut, and exact counting, in a copy of the module that
// notes which of its functions are called. Prints their numbers.

import { readFileSync } from "node:fs";
import { bind, imports } from "../../pkg/load.js";

const called = new Set();
const module = new WebAssembly.Module(readFileSync(process.argv[2]));
bind(new WebAssembly.Instance(module, { ...imports, profile: { called: (number) => called.add(number) } }));
const { Session, countTokens, loadEncoding } = await import("../../pkg/exports.js");

const call = (id) => ({ id, type: "function", function: { name: "read_file", arguments: '{"path":"src/main.rs"}' } });
const turn = (id) => [
  { role: "user", content: "Read the file. 読んでください。 Never change it." },
  { role: "assistant", content: "I read it.", tool_calls: [call(id)] },
  { role: "tool", tool_call_id: id, content: "fn main() {}\n".repeat(20) },
  { role: "assistant", content: null, tool_calls: [call(`${id}b`)] },
  { role: "tool", tool_call_id: `${id}b`, content: "ok 👍" },
  { role: "assistant", content: [{ type: "text", text: "It has 20 lines." }] },
];

const OPTIONS = [
  { model: "gpt-5", summarize: async () => ({ text: "" }) },
  { model: "gpt-4o" },
  { contextWindow: 1_000_000, safetyMargin: 0.05, reservedOutputTokens: 8_000, toolOutputCache: { contextBudgetTokens: 500_000 }, compaction: { thresholdRatio: 0.8 } },
];
for (const options of OPTIONS) {
  const session = new Session(options);
  session.setHeader("You help.");
  for (let n = 0; n < 250; n++) {
    session.push(turn(`call_${n}`));
    const { messages, report } = await session.prepare();
    if (messages.length === 0 || report.tokens_after === 0) throw new Error("nothing was prepared");
    session.recordUsage({ prompt_tokens: report.tokens_after, completion_tokens: 20, total_tokens: report.tokens_after + 20 });
    await session.checkAndCompact();
    session.shouldCompact();
  }
  session.pushFrom("openai-chat", turn("call_last"));
  for (const format of ["messages", "openai-chat"]) session.view(format);
  if (session.tokens === 0 || session.messages.length === 0) throw new Error("nothing was pushed");
  session.free();
}
const synced = new Session({ contextWindow: 128_000 });
const list = [];
for (let n = 0; n < 20; n++) {
  list.push(...turn(`call_${n}`));
  synced.sync("openai-chat", list);
  await synced.prepare();
  synced.view("openai-chat");
}
const encoding = await loadEncoding("o200k_base", readFileSync(new URL("../../pkg/encodings/o200k_base.bin", import.meta.url)));
const TEXTS = ["Hello, world. こんにちは", "A longer text, which needs every table. ".repeat(500)];
for (const text of TEXTS) for (const tokenizer of [undefined, encoding]) countTokens(text, tokenizer);
console.log(JSON.stringify([...called]));
