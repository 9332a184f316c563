// Runs a session from its creation to its model calls while nothing has to be cut, and exact counting, in a copy of the module that
// records which of its functions are called. Prints their numbers.

import { readFileSync } from "node:fs";
import { bind, importsOf } from "../../pkg/load.js";

const called = new Set();
const module = new WebAssembly.Module(readFileSync(process.argv[2]));
bind(new WebAssembly.Instance(module, { ...importsOf(module), profile: { called: (number) => called.add(number) } }));
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
// A first push is part of start-up, in every format: one message, several, an item, a body.
const reading = { path: "src/main.rs" };
const FIRST = {
  messages: turn("call_own"),
  "openai-chat": turn("call_first"),
  "openai-responses": [
    { role: "user", content: "Read the file." },
    { role: "user", content: [{ type: "input_text", text: "Never change it." }] },
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "It is short." }], encrypted_content: "gAAA" },
    { type: "function_call", id: "fc_1", call_id: "c1", name: "read_file", arguments: JSON.stringify(reading), status: "completed" },
    { type: "function_call_output", call_id: "c1", output: "fn main() {}\n".repeat(20) },
    { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text: "It has 20 lines.", annotations: [] }] },
  ],
  anthropic: [
    { role: "user", content: "Read the file." },
    { role: "assistant", content: [{ type: "thinking", thinking: "It is short.", signature: "c2ln" }, { type: "text", text: "I read it." }, { type: "tool_use", id: "t1", name: "read_file", input: reading }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "fn main() {}\n".repeat(20) }, { type: "text", text: "Go on." }] },
    { role: "assistant", content: "It has 20 lines." },
  ],
  "ai-sdk": [
    { role: "user", content: "Read the file." },
    { role: "user", content: [{ type: "text", text: "Never change it." }] },
    { role: "assistant", content: [{ type: "text", text: "I read it." }, { type: "tool-call", toolCallId: "t1", toolName: "read_file", input: reading }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "t1", toolName: "read_file", output: { type: "text", value: "fn main() {}\n".repeat(20) } }] },
    { role: "assistant", content: "It has 20 lines." },
  ],
};
const MODELS = { "openai-responses": "gpt-5", anthropic: "claude-opus-5", "ai-sdk": "gemini-2.5-pro" };
for (const [format, entries] of Object.entries(FIRST)) {
  for (const [first, ...rest] of [entries, [entries]]) {
    const session = new Session(MODELS[format] ? { model: MODELS[format] } : { contextWindow: 128_000 });
    session.pushFrom(format, first);
    if (rest.length > 0) session.pushFrom(format, rest);
    if (session.tokens === 0 || session.messages.length === 0) throw new Error(`nothing was pushed from ${format}`);
    session.free();
  }
}
for (const message of turn("call_single").slice(0, 1)) {
  const session = new Session({ contextWindow: 128_000 });
  session.push(message);
  session.push([{ role: "assistant", content: "Yes." }, { role: "user", content: [{ type: "text", text: "Go on." }] }]);
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
