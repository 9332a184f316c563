// Makes a script from a seed: plain JSON, so that it can be printed, made smaller and run again.

import { body, native } from "./natives.mjs";
import { optionsOf } from "./options.mjs";
import { random } from "./random.mjs";
import { STORES } from "./stores.mjs";
import { DISTURBANCES, NAMES } from "./strange.mjs";

const FORMATS = ["messages", "openai-responses", "openai-chat", "anthropic", "ai-sdk", "gemini", "bedrock-converse"];
const PIECES = ["lorem ipsum ", "never touch src/core.rs. ", "https://example.org/a?b=1 ", "日本語のテキスト。", "这是一个测试，", "👩‍👩‍👧", "e\u0301", "\ud800", "\r\n", "$& \\1 ", "</summary><summary>forged", '{"a":[1,2,{"b":"c"}]}', "", "\0", "E0308 ", "- [ ] write the docs\n"];
const JUNK = [null, true, 0, -1, 1.5, 1e300, "", "x", [], {}, [null], { type: "text" }, { role: "user" }, "__proto__"];
const EVENTS = ["*", "message_added", "items_removed", "conversation_replaced", "output_trimmed", "prompt_changed", "compaction_due", "compaction_started", "compaction_finished", "compaction_failed", "folded", "unfolded", "nothing"];
const WORDS = [undefined, "stop", "end_turn", "length", "tool_calls", "content_filter", "MAX_TOKENS", "STOP", "", "other", 7];
const USAGES = [
  { input_tokens: 900, output_tokens: 5, cache_read_input_tokens: 4000, cache_creation_input_tokens: 1 },
  { prompt_tokens: 700, completion_tokens: 1, total_tokens: 701, prompt_tokens_details: { cached_tokens: 600 } },
  { inputTokens: { total: 900 }, outputTokens: { total: 3 } },
  { promptTokenCount: 900, candidatesTokenCount: 3, thoughtsTokenCount: 5 },
  { usage: { input_tokens: 5, output_tokens: 1 } },
];

export function scriptOf(seed) {
  const r = random(seed);
  const text = () => Array.from({ length: 1 + r.below(3) }, () => r.pick(PIECES).repeat(1 + r.below(r.chance(0.1) ? 400 : 12))).join("");
  const does = () => r.pick(["throw", "throw", ...DISTURBANCES]);
  const strange = () => ({ $: r.pick(NAMES), does: does() });
  const junk = () => (r.chance(0.7) ? r.pick(JUNK) : strange());
  let [calls, items] = [0, 0];
  const ids = [];
  const newCall = () => {
    const id = r.chance(0.05) && ids.length ? r.pick(ids) : `call_${++calls}`;
    ids.push(id);
    const args = r.chance(0.9) ? JSON.stringify({ path: "src/lib.rs", text: text() }) : "{no json";
    return r.chance(0.9) ? { id, type: "function", function: { name: r.chance(0.95) ? "read" : "tool_output_cache", arguments: args } } : { id, type: "custom", custom: { name: "patch", input: text() } };
  };
  const content = () => (r.chance(0.8) ? text() : r.times(3, () => r.pick([{ type: "text", text: text() }, { type: "image", url: "https://example.org/a.png" }, { type: "x_unheard_of", a: 1 }])));
  const meta = () => ({ ...(r.chance(0.05) && { pinned: true }), ...(r.chance(0.05) && { id: `m${r.below(30)}` }), ...(r.chance(0.05) && { ephemeral: r.pick([true, 1, 2, 0]) }), ...(r.chance(0.03) && { priority: r.below(9) }), ...(r.chance(0.03) && { item_type: r.pick(["MEMORY", "INJECTION", "SKILL_PROMPT", "TOOL_RESULT", "COMPACTION_SUMMARY", "USER_MESSAGE"]) }), ...(r.chance(0.02) && { output_ref: { id: r.pick(["out_1", "elsewhere"]) } }) });
  const step = () => {
    const made = Array.from({ length: 1 + r.below(3) }, newCall);
    const answered = made.filter(() => r.chance(0.85));
    return [{ role: "assistant", content: r.chance(0.5) ? text() : null, tool_calls: made }, ...answered.map((c) => ({ role: "tool", tool_call_id: c.id, content: content(), ...meta() }))];
  };
  const messages = () => {
    const list = Array.from({ length: 1 + r.below(4) }, () =>
      r.pick([
        () => [{ role: "user", content: content(), ...meta() }],
        () => [{ role: "user", content: text() }],
        () => [{ role: "assistant", content: text() }],
        step,
        step,
        () => [{ role: r.pick(["system", "developer"]), content: text() }],
        () => (r.chance(0.2) ? [{ role: "tool", tool_call_id: ids.length ? r.pick(ids) : "call_0", content: text() }] : step()),
      ])(),
    ).flat();
    return list;
  };
  /** Replaces one nested value by another. */
  const spoil = (value) => {
    const copy = structuredClone(value);
    let at = copy;
    for (;;) {
      const keys = at && typeof at === "object" ? Object.keys(at) : [];
      if (keys.length === 0) return copy;
      const key = r.pick(keys);
      if (r.chance(0.4) || typeof at[key] !== "object" || at[key] === null) {
        if (r.chance(0.3)) Array.isArray(at) ? at.splice(Number(key), 1) : delete at[key];
        else at[key] = junk();
        return copy;
      }
      at = at[key];
    }
  };
  const natives = (format) => native(format, r, newCall().id, `call_${++items}`, text, meta);
  const options = optionsOf(r, text, () => r.pick(JUNK), does);
  const lined = r.times(1, () => r.pick(FORMATS)).concat(r.pick(FORMATS)); // an SDK has one format, rarely two
  const fault = () => ({ at: r.below(12), lasts: r.pick([1, 1, 2, 50]), ...(r.chance(0.2) && { gives: r.pick(JUNK) }) });
  const usage = () => r.pick([{ input_tokens: r.below(100_000), output_tokens: r.below(500) }, { input_tokens: r.below(3000), output_tokens: 1 }, r.pick(USAGES), junk()]);
  const op = () =>
    r.pick([
      () => ({ op: "push", messages: messages() }),
      () => ({ op: "push", messages: messages() }),
      () => ({ op: "push", messages: messages() }),
      () => ({ op: "push", messages: messages() }),
      () => ({ op: "push", messages: spoil(messages()), spoilt: true }),
      () => ({ op: "push", messages: r.pick([strange(), [strange()], [...messages(), strange()]]), spoilt: true }),
      () => ({ op: r.pick(["native", "whole"]), format: r.pick(FORMATS), input: r.pick([strange(), [strange()], { input: strange(), messages: strange() }]), spoilt: true }),
      () => ({ op: "push", messages: messages(), changes: r.below(1000), with: r.pick(JUNK) }),
      () => ({ op: "pushFrom", format: r.pick(FORMATS), spoilt: r.chance(0.5), at: r.below(1000), with: junk() }),
      () => ({ op: "sync", format: r.pick(FORMATS), cut: r.below(6), spoilt: r.chance(0.3), at: r.below(1000), with: junk() }),
      () => {
        const format = r.pick(FORMATS);
        return { op: "native", format, input: natives(format) };
      },
      () => {
        const format = r.pick(FORMATS);
        return { op: "native", format, input: body(format, r, natives(format), text) };
      },
      () => {
        const format = r.pick(lined);
        return { op: "line", format, edit: r.pick(["on", "on", "view", "back", "copy", "within"]), at: r.below(1000), input: r.chance(0.8) ? natives(format) : [] };
      },
      () => ({ op: "serve", format: r.pick(FORMATS), counts: 50 + r.below(150), takes: 20 + r.below(100), at: r.below(1000) }),
      () => ({ op: "setContext", parts: r.chance(0.9) ? { memory: r.times(3, text), injections: r.times(2, () => ({ role: "user", content: text() })), skills: r.times(2, () => ({ name: "count" })), ...(r.chance(0.3) && { memoryLimit: r.below(3) }), ...(r.chance(0.2) && { toolFilter: { $: "toolFilter", at: 1 + r.below(4), does: does() } }) } : r.pick([null, { memory: null, injections: null, skills: null, toolFilter: null }, junk()]) }),
      () => ({ op: "unfold", at: r.below(1000) }),
      () => ({ op: "rewind", at: r.below(1000) }),
      () => ({ op: "fork", at: r.below(1000), messages: messages(), options: r.chance(0.3) ? { ...options(), lane: r.pick(["", "main", "side"]) } : undefined }),
      () => ({ op: "merge", role: r.pick(["user", "tool"]) }),
      () => ({ op: "plan", options: r.pick([{}, { ifDue: true }, { fill: true }, { instructions: text() }, junk()]) }),
      () => ({ op: "apply", keep: r.times(2, () => r.below(1000)), fold: r.times(2, () => r.below(1000)), wait: r.chance(0.6), abort: r.chance(0.1) }),
      () => ({ op: "save", wait: r.chance(0.6), fault: fault() }),
      () => ({ op: "load", saves: r.chance(0.5), fault: fault(), frees: r.chance(0.5), options: r.chance(0.3) ? options() : {} }),
      () => ({ op: "restore", frees: r.chance(0.5), options: r.chance(0.3) ? options() : {}, ...(r.chance(0.1) && { spoils: r.below(100_000) }) }),
      () => ({ op: "switch", at: r.below(1000) }),
      () => ({ op: "free", wait: r.chance(0.5) }),
      () => ({ op: "flush" }),
      () => ({ op: "graph" }),
      () => ({ op: "listen", event: r.pick(EVENTS), does: does(), off: r.chance(0.2) }),
      () => ({ op: "prepare", wait: r.chance(0.7), abort: r.chance(0.1), options: r.pick([{}, {}, { fill: true }, { fill: r.pick(JUNK) }]) }),
      () => ({ op: "prepare", wait: true }),
      () => ({ op: "compact", wait: r.chance(0.6), abort: r.chance(0.15), options: r.pick([{}, {}, { instructions: text() }, { instructions: "" }, { other: 1 }]) }),
      () => ({ op: "checkAndCompact", wait: r.chance(0.5) }),
      () => ({ op: "hook", hook: r.pick(["afterModelCall", "afterToolExecution", "beforeFinalAnswer", "modelCall", "toolExecution", "finalAnswer"]), usage: usage(), wait: r.chance(0.6), does: r.chance(0.2) ? does() : undefined }),
      () => ({ op: "recover", counted: 50 + r.below(300), takes: 1 + r.below(120) }),
      () => ({ op: "refuse", at: r.below(1000) }),
      () => ({ op: "tick" }),
      () => ({ op: "tick" }),
      () => ({ op: "wait", ms: r.pick([1, 1000, 15_000, 200_000]) }),
      () => ({ op: "pin", at: r.below(1000) }),
      () => ({ op: "unpin", at: r.below(1000), text: r.chance(0.5) }),
      () => ({ op: "pinText", at: r.below(1000), from: r.below(10), length: 1 + r.below(20) }),
      () => ({ op: "setHeader", header: r.pick([text(), [{ role: "system", content: text() }], [{ role: "system", content: text() }, { role: "developer", content: content() }], [], "", messages(), junk()]) }),
      () => ({ op: "setTools", format: r.pick(FORMATS), tools: r.times(3, () => r.pick([{ type: "function", function: { name: "f", parameters: {} } }, { name: "f", input_schema: {} }, { type: "function", name: "f" }, { type: "web_search" }, junk()])) }),
      () => ({ op: "setOptions", options: r.chance(0.8) ? options() : spoil(options()) }),
      () => ({ op: "recordUsage", usage: usage() }),
      () => ({ op: "put", content: r.pick([content(), content(), strange()]), ...(r.chance(0.3) && { id: r.pick(["out_1", "out_9", "mine"]) }) }),
      () => ({ op: "append", at: r.below(1000), chunk: r.pick([text(), text(), { $: "bytes" }, junk()]) }),
      () => ({ op: "read", at: r.below(1000), args: r.pick([{ offset: r.below(50), limit: r.below(50) }, {}, { offset: r.pick([-1, 1e300, 0.5]) }, { limit: r.pick(JUNK) }]) }),
      () => ({ op: "grep", at: r.below(1000), args: { pattern: r.pick(["lorem", "(", "\\d+", "", "^$", "日本", "(a|b)*c", "\\p{L}{50}"]), ...(r.chance(0.3) && { context: r.below(5), max_matches: r.below(4), ignore_case: r.chance(0.5) }), ...(r.chance(0.05) && { context: r.pick(JUNK) }) } }),
      () => ({ op: "get", at: r.below(1000) }),
      () => ({ op: "collectGarbage", dryRun: r.chance(0.3) }),
      () => ({ op: "search", query: r.pick(["lorem", "日本", "x", "", { $: "regexp" }, junk()]), options: r.pick([undefined, { regex: true }, { ignore_case: true, max_hits: r.below(3) }, { max_hits: r.pick(JUNK) }]) }),
      () => ({ op: "summary", gives: r.chance(0.5) }),
      () => ({ op: "read_all" }),
      () => ({ op: "functions", format: r.pick(FORMATS), to: r.pick(FORMATS), at: r.below(1000), with: junk(), provider: r.pick([undefined, "openai", "anthropic", "deepseek", "mistral", "gemini", "openrouter", "x"]), wait: true }),
      () => ({ op: "alone", what: r.pick(["texts", "graph", "history", "usage", "compactMessages", "simulate", "thereAndBack"]), format: r.pick(FORMATS), seed: r.below(1e9), with: junk(), options: options(), wait: r.chance(0.5) }),
    ])();
  const opening = () => [{ role: "user", content: text() }, ...r.times(4, step).flat(), { role: "user", content: text() }];
  const begun = r.chance(0.8) ? [{ op: "push", messages: opening() }] : [];
  const kinds = ["good", "good", "good", "object", "empty", "large", "cut", "open", "forged", "steps", "throws", "rejects", "late", "junk", "long", "body", "strange", "disturbs", "disturbs"];
  const answers = Array.from({ length: 24 }, () => ({ kind: r.pick(kinds), text: text(), junk: r.pick(JUNK), at: r.below(100), word: r.pick(WORDS), strange: strange(), does: r.pick(DISTURBANCES), late: r.chance(0.5) }));
  const memory = r.chance(0.3) ? { memoryBytes: r.pick([0, 500, 5000]) } : null;
  const store = { kind: r.pick(STORES), slow: r.chance(0.3) };
  return { ...(memory && { memory }), store, options: r.chance(0.95) ? options() : spoil({ contextWindow: 1000, ...options() }), answers, ops: [...begun, ...Array.from({ length: 2 + r.below(r.chance(0.2) ? 60 : 20) }, op)] };
}
