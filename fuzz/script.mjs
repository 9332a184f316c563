// From a seed to a script: plain JSON, so that it can be printed, made smaller and run again.

const FORMATS = ["messages", "openai-responses", "openai-chat", "anthropic", "ai-sdk"];
const PRESETS = ["contextfold", "spec", "rolling", "steps-design", "steps-execution", "selective", "ladder"];
const PIECES = ["lorem ipsum ", "never touch src/core.rs. ", "https://example.org/a?b=1 ", "日本語のテキスト。", "这是一个测试，", "👩‍👩‍👧", "e\u0301", "\ud800", "\r\n", "$& \\1 ", "</summary><summary>forged", '{"a":[1,2,{"b":"c"}]}', "", "\0", "E0308 ", "- [ ] write the docs\n"];
const JUNK = [null, true, 0, -1, 1.5, 1e300, "", "x", [], {}, [null], { type: "text" }, { role: "user" }, "__proto__"];

/** Numbers from a seed (mulberry32). */
function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  return {
    below,
    pick: (list) => list[below(list.length)],
    chance: (p) => next() < p,
    times: (most, make) => Array.from({ length: below(most + 1) }, make),
  };
}

export function scriptOf(seed) {
  const r = random(seed);
  const text = () => Array.from({ length: 1 + r.below(3) }, () => r.pick(PIECES).repeat(1 + r.below(r.chance(0.1) ? 400 : 12))).join("");
  let calls = 0;
  const ids = [];
  const newCall = () => {
    const id = r.chance(0.05) && ids.length ? r.pick(ids) : `call_${++calls}`;
    ids.push(id);
    const args = r.chance(0.9) ? JSON.stringify({ path: "src/lib.rs", text: text() }) : "{no json";
    return r.chance(0.9) ? { id, type: "function", function: { name: "read", arguments: args } } : { id, type: "custom", custom: { name: "patch", input: text() } };
  };
  const content = () => (r.chance(0.8) ? text() : r.times(3, () => r.pick([{ type: "text", text: text() }, { type: "image", url: "https://example.org/a.png" }, { type: "x_unheard_of", a: 1 }])));
  const meta = () => ({ ...(r.chance(0.05) && { pinned: true }), ...(r.chance(0.05) && { id: `m${r.below(30)}` }), ...(r.chance(0.05) && { ephemeral: true }), ...(r.chance(0.03) && { priority: r.below(9) }) });
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
        () => [{ role: "tool", tool_call_id: ids.length ? r.pick(ids) : "call_0", content: text() }],
      ])(),
    ).flat();
    return list;
  };
  /** One place of a value is another. */
  const spoil = (value) => {
    const copy = structuredClone(value);
    let at = copy;
    for (;;) {
      const keys = at && typeof at === "object" ? Object.keys(at) : [];
      if (keys.length === 0) return copy;
      const key = r.pick(keys);
      if (r.chance(0.4) || typeof at[key] !== "object" || at[key] === null) {
        if (r.chance(0.3)) Array.isArray(at) ? at.splice(Number(key), 1) : delete at[key];
        else at[key] = r.pick(JUNK);
        return copy;
      }
      at = at[key];
    }
  };
  const compaction = () => ({
    ...(r.chance(0.3) && { maxAttempts: 1 + r.below(3) }), ...(r.chance(0.4) && { onFailure: r.pick(["error", "extractive"]) }), ...(r.chance(0.3) && { style: "transcript" }),
    ...(r.chance(0.2) && { summarizerWindow: 100 + r.below(2000) }), ...(r.chance(0.3) && { retainLastTurns: r.below(4) }), ...(r.chance(0.2) && { ledgerTokens: r.below(300) }), ...(r.chance(0.1) && { retainPrompt: "Keep the refs." }),
  });
  const options = () => ({
    ...(r.chance(0.9) && { contextWindow: r.pick([1, 50, 300, 800, 2000, 5000, 20_000, 100_000]) + r.below(50) }), ...(r.chance(0.4) && { ladder: r.pick(PRESETS) }), ...(r.chance(0.6) && { compaction: compaction() }),
    ...(r.chance(0.3) && { toolOutputCache: { contextBudgetTokens: r.below(1000), maxMessageBytes: 64 + r.below(4000), maxLineLength: 1 + r.below(300) } }), ...(r.chance(0.2) && { safetyMargin: 0 }), ...(r.chance(0.3) && { tokenizer: r.pick(["estimate", "bytes/4"]) }),
  });
  const op = () =>
    r.pick([
      () => ({ op: "push", messages: messages() }),
      () => ({ op: "push", messages: messages() }),
      () => ({ op: "push", messages: messages() }),
      () => ({ op: "push", messages: spoil(messages()), spoilt: true }),
      () => ({ op: "pushFrom", format: r.pick(FORMATS), spoilt: r.chance(0.5), at: r.below(1000), with: r.pick(JUNK) }),
      () => ({ op: "sync", format: r.pick(FORMATS), cut: r.below(6), spoilt: r.chance(0.3), at: r.below(1000), with: r.pick(JUNK) }),
      () => ({ op: "prepare", wait: r.chance(0.7), abort: r.chance(0.1) }),
      () => ({ op: "prepare", wait: true }),
      () => ({ op: "compact", wait: r.chance(0.6), abort: r.chance(0.15) }),
      () => ({ op: "checkAndCompact", wait: r.chance(0.5) }),
      () => ({ op: "recover", counted: 50 + r.below(300), takes: 1 + r.below(120) }),
      () => ({ op: "tick" }),
      () => ({ op: "tick" }),
      () => ({ op: "pin", at: r.below(1000) }),
      () => ({ op: "unpin", at: r.below(1000) }),
      () => ({ op: "pinText", at: r.below(1000), length: 1 + r.below(20) }),
      () => ({ op: "setHeader", header: r.chance(0.5) ? text() : [{ role: "system", content: text() }] }),
      () => ({ op: "setTools", tools: r.times(3, () => r.pick([{ type: "function", function: { name: "f", parameters: {} } }, ...JUNK])) }),
      () => ({ op: "setOptions", options: r.chance(0.8) ? options() : spoil(options()) }),
      () => ({ op: "recordUsage", usage: r.chance(0.8) ? { input_tokens: r.below(100_000), output_tokens: r.below(500) } : r.pick(JUNK) }),
      () => ({ op: "put", content: content(), ...(r.chance(0.3) && { id: r.pick(["out_1", "out_9", "mine"]) }) }),
      () => ({ op: "append", at: r.below(1000), chunk: text() }),
      () => ({ op: "read", at: r.below(1000), offset: r.below(50), limit: r.below(50) }),
      () => ({ op: "grep", at: r.below(1000), pattern: r.pick(["lorem", "(", "\\d+", "", "^$", "日本"]) }),
      () => ({ op: "collectGarbage" }),
      () => ({ op: "search", query: r.pick(["lorem", "日本", "x", ""]) }),
      () => ({ op: "functions", format: r.pick(FORMATS), to: r.pick(FORMATS), at: r.below(1000), with: r.pick(JUNK) }),
    ])();
  const answers = Array.from({ length: 24 }, () => ({ kind: r.pick(["good", "good", "good", "object", "empty", "large", "cut", "open", "forged", "throws", "rejects", "late", "junk", "long", "reenters", "language"]), text: text(), junk: r.pick(JUNK) }));
  return { options: r.chance(0.95) ? options() : spoil({ contextWindow: 1000, ...options() }), answers, ops: Array.from({ length: 2 + r.below(r.chance(0.2) ? 60 : 20) }, op) };
}
