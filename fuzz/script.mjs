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
        () => (r.chance(0.2) ? [{ role: "tool", tool_call_id: ids.length ? r.pick(ids) : "call_0", content: text() }] : step()),
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
  /** A few entries as a format's own clients have them: files, thinking, calls of every kind. */
  const native = (format) => {
    const id = newCall().id;
    const said = () => `${text()}.`;
    const [image, pdf] = ["https://example.org/a.png", "https://example.org/a.pdf"];
    const lists = {
      messages: () => [
        { role: "user", content: [{ type: "text", text: said() }, { type: "image", data: "aGVsbG8=", media_type: "image/png" }, { type: "document", url: pdf }], ...meta() },
        { role: "assistant", content: [{ type: "reasoning", text: "hm", signature: "c2ln" }, { type: "text", text: said() }], tool_calls: [{ id, type: "function", function: { name: "read", arguments: "{}" } }] },
        { role: "tool", tool_call_id: id, content: said(), is_error: r.chance(0.5), ephemeral: 1 + r.below(2) },
      ],
      "openai-chat": () => [
        { role: "user", content: [{ type: "text", text: said() }, { type: "image_url", image_url: { url: image, detail: "low" } }] },
        { role: "assistant", content: null, refusal: null, tool_calls: [{ id, type: "function", function: { name: "read", arguments: "{}" } }] },
        { role: "tool", tool_call_id: id, content: [{ type: "text", text: said() }] },
      ],
      "openai-responses": () => [
        { type: "message", role: "user", content: [{ type: "input_text", text: said() }, { type: "input_image", image_url: image, detail: "auto" }, { type: "input_file", file_id: "file_1" }] },
        { type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: "gAAAAABo" },
        { type: "function_call", id: `fc_${id}`, call_id: id, name: "read", arguments: "{}" },
        { type: "function_call_output", call_id: id, output: said() },
        { type: "web_search_call", id: `ws_${id}`, status: "completed", action: { type: "search", query: "x" } },
        { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content: [{ type: "output_text", text: said(), annotations: [] }] },
      ],
      anthropic: () => [
        { role: "user", content: [{ type: "text", text: said() }, { type: "image", source: { type: "base64", media_type: "image/png", data: "aGVsbG8=" } }, { type: "document", source: { type: "url", url: pdf } }] },
        { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "c2ln" }, { type: "redacted_thinking", data: "eHh4" }, { type: "text", text: said() }, { type: "tool_use", id, name: "read", input: { at: 1 } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: said() }], is_error: true }] },
      ],
      "ai-sdk": () => [
        { role: "user", content: [{ type: "text", text: said() }, { type: "image", image }, { type: "file", data: "aGVsbG8=", mediaType: "application/pdf" }] },
        { role: "assistant", content: [{ type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "c2ln" } } }, { type: "tool-call", toolCallId: id, toolName: "read", input: { at: 1 } }] },
        { role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: "read", output: { type: "text", value: said() } }] },
      ],
    };
    const list = lists[format]();
    const cut = r.chance(0.7) ? list : list.slice(0, 1 + r.below(list.length));
    return cut.at(-1).type === "reasoning" ? cut.slice(0, -1) : cut; // it goes with what it made
  };
  const compaction = () => ({
    ...(r.chance(0.15) && { background: r.pick([true, { atRatio: 0.3 }]) }), ...(r.chance(0.1) && { language: "French" }), ...(r.chance(0.1) && { summaryRole: r.pick(["user", "assistant", "system"]) }), ...(r.chance(0.1) && { lowRatio: r.pick([0.1, 0.5, 0.9]) }),
    ...(r.chance(0.3) && { maxAttempts: 1 + r.below(3) }), ...(r.chance(0.4) && { onFailure: r.pick(["error", "extractive"]) }), ...(r.chance(0.3) && { style: "transcript" }),
    ...(r.chance(0.2) && { summarizerWindow: 100 + r.below(2000) }), ...(r.chance(0.3) && { retainLastTurns: r.below(4) }), ...(r.chance(0.2) && { ledgerTokens: r.below(300) }), ...(r.chance(0.1) && { retainPrompt: "Keep the refs." }),
  });
  const options = () => ({
    ...(r.chance(0.1) && { model: r.pick(["gpt-5", "claude-sonnet-4-5", "gpt-4o"]) }), ...(r.chance(0.1) && { boundThinking: r.pick(["auto", "drop", "keep"]) }), ...(r.chance(0.1) && { reservedOutputTokens: r.below(200) }), ...(r.chance(0.1) && { calibrate: false }),
    ...(r.chance(0.9) && { contextWindow: r.pick([1, 50, 300, 800, 2000, 5000, 20_000, 100_000]) + r.below(50) }), ...(r.chance(0.4) && { ladder: r.pick(PRESETS) }), ...(r.chance(0.6) && { compaction: compaction() }),
    ...(r.chance(0.3) && { toolOutputCache: { contextBudgetTokens: r.below(1000), maxMessageBytes: 64 + r.below(4000), maxLineLength: 1 + r.below(300) } }), ...(r.chance(0.2) && { safetyMargin: 0 }), ...(r.chance(0.3) && { tokenizer: r.pick(["estimate", "bytes/4"]) }),
  });
  const lined = r.times(1, () => r.pick(FORMATS)).concat(r.pick(FORMATS)); // an SDK has one format, seldom another
  const op = () =>
    r.pick([
      () => ({ op: "push", messages: messages() }),
      () => ({ op: "push", messages: messages() }),
      () => ({ op: "push", messages: messages() }),
      () => ({ op: "push", messages: spoil(messages()), spoilt: true }),
      () => ({ op: "pushFrom", format: r.pick(FORMATS), spoilt: r.chance(0.5), at: r.below(1000), with: r.pick(JUNK) }),
      () => ({ op: "sync", format: r.pick(FORMATS), cut: r.below(6), spoilt: r.chance(0.3), at: r.below(1000), with: r.pick(JUNK) }),
      () => {
        const format = r.pick(FORMATS);
        return { op: "native", format, input: native(format) };
      },
      () => {
        const format = r.pick(lined);
        return { op: "line", format, edit: r.pick(["on", "on", "view", "back", "copy", "within"]), at: r.below(1000), input: r.chance(0.8) ? native(format) : [] };
      },
      () => ({ op: "serve", format: r.pick(FORMATS), counts: 50 + r.below(150), takes: 20 + r.below(100), at: r.below(1000) }),
      () => ({ op: "setContext", parts: { memory: r.times(3, text), injections: r.times(2, () => ({ role: "user", content: text() })), skills: r.times(2, () => ({ name: "count" })), ...(r.chance(0.3) && { memoryLimit: r.below(3) }) } }),
      () => ({ op: "unfold", at: r.below(1000) }),
      () => ({ op: "rewind", at: r.below(1000) }),
      () => ({ op: "fork", at: r.below(1000), messages: messages() }),
      () => ({ op: "merge", role: r.pick(["user", "tool"]) }),
      () => ({ op: "plan", options: r.pick([{}, { ifDue: true }, { fill: true }]) }),
      () => ({ op: "apply", keep: r.times(2, () => r.below(1000)), fold: r.times(2, () => r.below(1000)), wait: r.chance(0.6), abort: r.chance(0.1) }),
      () => ({ op: "save", wait: r.chance(0.6), fault: r.below(12) }),
      () => ({ op: "load", saves: r.chance(0.5), fault: r.below(12), frees: r.chance(0.5) }),
      () => ({ op: "restore", frees: r.chance(0.5) }),
      () => ({ op: "flush" }),
      () => ({ op: "graph" }),
      () => ({ op: "prepare", wait: r.chance(0.7), abort: r.chance(0.1) }),
      () => ({ op: "prepare", wait: true }),
      () => ({ op: "compact", wait: r.chance(0.6), abort: r.chance(0.15) }),
      () => ({ op: "checkAndCompact", wait: r.chance(0.5) }),
      () => ({ op: "recover", counted: 50 + r.below(300), takes: 1 + r.below(120) }),
      () => ({ op: "tick" }),
      () => ({ op: "tick" }),
      () => ({ op: "wait", ms: r.pick([1, 1000, 15_000, 200_000]) }),
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
  const opening = () => [{ role: "user", content: text() }, ...r.times(4, step).flat(), { role: "user", content: text() }];
  const begun = r.chance(0.8) ? [{ op: "push", messages: opening() }] : [];
  const answers = Array.from({ length: 24 }, () => ({ kind: r.pick(["good", "good", "good", "object", "empty", "large", "cut", "open", "forged", "throws", "rejects", "late", "junk", "long", "reenters", "language"]), text: text(), junk: r.pick(JUNK) }));
  const memory = r.chance(0.3) ? { memoryBytes: r.pick([0, 500, 5000]) } : null;
  return { ...(memory && { memory }), options: r.chance(0.95) ? options() : spoil({ contextWindow: 1000, ...options() }), answers, ops: [...begun, ...Array.from({ length: 2 + r.below(r.chance(0.2) ? 60 : 20) }, op)] };
}
