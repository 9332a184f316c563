// The caller's own rules: by tool, for placeholders, as a custom pass; what an undo reports; the progress of a summary in pieces.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { Session, check, toolDefinitions } from "contextfold";

const call = (id, name, args) => ({ role: "assistant", tool_calls: [{ id, type: "function", function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) } }] });
const output = (id, content) => ({ role: "tool", tool_call_id: id, content });
const text = (n, lines = 300) => `line of ${n}\n`.repeat(lines);
const NAMES = ["bash", "ls", "read_plan"];
const ARGS = { bash: (n) => ({ command: `cargo test case_${n}` }), ls: (n) => ({ path: `src/dir${n}` }), read_plan: () => ({}) };

/** Twelve steps, of three tools in turn; each output takes about 1,500 tokens. */
function filled(options, { tools } = {}) {
  const session = new Session(options);
  if (tools) session.setTools("openai-chat", toolDefinitions("openai-chat"));
  session.push({ role: "user", content: "go" });
  for (let n = 0; n < 12; n++) {
    const name = NAMES[n % 3];
    session.push([call(`c${n}`, name, ARGS[name](n)), output(`c${n}`, text(n))]);
  }
  return session;
}
const outputs = (session) => session.view("openai-chat").filter((m) => m.role === "tool").map((m) => m.content);
const valid = (session) => check("openai-chat", session.view("openai-chat")).every(({ severity }) => severity !== "error");
const decision = (report, pass) => report.decisions.find((d) => d.pass === pass);

describe("a custom ladder", () => {
  test("accepts passes by name only", async () => {
    const named = filled({ contextWindow: 12_000, ladder: ["trim_tool_outputs", "summarize", "even_cut"] });
    const written = filled({ contextWindow: 12_000, ladder: [{ pass: "trim_tool_outputs" }, { pass: "summarize" }, { pass: "even_cut" }] });
    assert.deepEqual((await named.prepare()).report.decisions, (await written.prepare()).report.decisions);
    assert.deepEqual(outputs(named), outputs(written));
  });

  test("names unknown passes", () => {
    assert.throws(() => new Session({ ladder: ["sumarize"] }), { code: "INVALID_CONFIG", message: /`summarize`/ });
    assert.throws(() => new Session({ ladder: ["custom"] }), { code: "INVALID_CONFIG", message: /ladder\[0\]\.run/ });
    assert.throws(() => new Session({ ladder: [3] }), { code: "INVALID_CONFIG", message: /ladder\[0\]/ });
  });
});

describe("placeholders", () => {
  const budget = { contextWindow: 50_000, toolOutputCache: { contextBudgetTokens: 3_000 } };

  test("they name the call and the output's size, and a ref if the model can open it", () => {
    assert.deepEqual(outputs(filled(budget)).slice(0, 3), [
      "[tool output trimmed: bash `cargo test case_0`, 1531 tokens]",
      "[tool output trimmed: ls src/dir1, 1531 tokens]",
      "[tool output trimmed: read_plan, 1531 tokens]",
    ]);
    const session = filled(budget, { tools: true });
    const [first] = outputs(session);
    assert.equal(first, "[tool output trimmed: bash `cargo test case_0`, 1531 tokens; ref=out_1]");
    assert.equal(outputs(filled({ ...budget, ladder: "spec" }))[0], "[tool output trimmed; ref=out_1]", "a document's own words");
  });

  test("no view names a ref that nobody can open, not even in a summary, facts or pointers", async () => {
    for (const ladder of ["contextfold", [{ pass: "dedupe_reads" }, { pass: "trim_tool_outputs", budgetTokens: 2_000 }, { pass: "summarize" }]]) {
      const seen = {};
      for (const tools of [false, true]) {
        const session = new Session({ contextWindow: 8_000, ladder });
        if (tools) session.setTools("openai-chat", toolDefinitions("openai-chat"));
        session.push({ role: "user", content: "Mend the build." });
        for (let n = 0; n < 30; n++) session.push([call(`c${n}`, "bash", { command: `cargo test m${n}` }), output(`c${n}`, `error[E0308] in src/m${n % 7}.rs\n${text(n % 7, 60)}test result: FAILED. 1 passed; 2 failed`)]);
        await session.prepare();
        seen[tools] = JSON.stringify(session.view("openai-chat"));
      }
      assert.doesNotMatch(seen.false, /out_\d|ref=|tool_output_cache/);
      assert.match(seen.true, /out_\d/);
    }
  });

  test("the budget covers outputs shown with text, and the report counts all outputs", async () => {
    const session = new Session({ contextWindow: 50_000, toolOutputCache: { contextBudgetTokens: 4_000 } });
    session.push({ role: "user", content: "go" });
    for (let n = 0; n < 400; n++) session.push([call(`c${n}`, "ls", { path: `src/dir${n}` }), output(`c${n}`, text(n, 100))]);
    const { report } = await session.prepare();
    assert.ok(report.tool_outputs.whole >= 4, JSON.stringify(report.tool_outputs));
    const forms = session.items().filter((item) => item.item_type === "TOOL_RESULT").map((item) => item.form);
    assert.deepEqual(report.tool_outputs, {
      whole: forms.filter((form) => form === "whole").length,
      shortened: forms.filter((form) => !["whole", "placeholder", "pointer"].includes(form)).length,
      placeholders: forms.filter((form) => ["placeholder", "pointer"].includes(form)).length,
    });
  });

  test("a callback writes them; its text is saved", async () => {
    const asked = [];
    const placeholder = (trimmed) => (asked.push(trimmed), `[${trimmed.name}: ${trimmed.tokens}]`);
    const session = filled({ contextWindow: 50_000, toolOutputCache: { contextBudgetTokens: 3_000, placeholder } }, { tools: true });
    assert.deepEqual(asked[0], { ref: "out_1", name: "bash", args: { command: "cargo test case_0" }, tokens: 1531 });
    assert.equal(outputs(session)[0], "[bash: 1531]");
    const restored = Session.restore(session.snapshot());
    assert.deepEqual(restored.view("openai-chat"), session.view("openai-chat"));
    session.setOptions({ toolOutputCache: { placeholder: null } });
    session.push([call("d", "ls", "not json"), output("d", text(99))]);
    assert.match(outputs(session).at(-2), /^\[tool output trimmed: read_plan, 1531 tokens; ref=out_12\]$/);
  });

  test("arguments that are not JSON are passed as text; if the callback throws or returns another type, ours is used and reported", async () => {
    const args = [];
    const session = new Session({ toolOutputCache: { contextBudgetTokens: 100, placeholder: (trimmed) => void args.push(trimmed.args) } });
    session.push([call("a", "ls", "src -la"), output("a", text(1)), call("b", "ls", {}), output("b", text(2))]);
    assert.deepEqual(args[0], { input: "src -la" });
    assert.equal(outputs(session)[0], "[tool output trimmed: ls, 1531 tokens]");
    const { report } = await session.prepare();
    assert.ok(report.notices.includes("`toolOutputCache.placeholder` must return a string: the default text is used instead"), report.notices.join());
    const throws = filled({ toolOutputCache: { contextBudgetTokens: 3_000, placeholder: () => { throw new Error("oh"); } } });
    assert.match((await throws.prepare()).report.notices.join(), /placeholder` threw \(oh\)/);
    assert.throws(() => new Session({ toolOutputCache: { placeholder: "x" } }), { code: "INVALID_CONFIG", message: /toolOutputCache\.placeholder/ });
    let reentered;
    const uses = new Session({ toolOutputCache: { contextBudgetTokens: 100, placeholder: () => { try { uses.tokens; } catch (error) { reentered = error.message; } return "[x]"; } } });
    uses.push([call("a", "ls", {}), output("a", text(1)), call("b", "ls", {}), output("b", text(2))]);
    assert.match(reentered, /toolOutputCache\.placeholder/);
  });
});

describe("rules by tool", () => {
  const tools = { read_plan: "keep", ls: { maxTokens: 100 }, "ba*": "first" };

  test("keep: never cut; maxTokens: cut on entry; first: cut first", async () => {
    const ladder = [{ pass: "trim_tool_outputs", lowRatio: 1, waitForFold: false }, { pass: "even_cut" }];
    const session = filled({ contextWindow: 50_000, ladder, toolOutputCache: { contextBudgetTokens: 8_500, tools } });
    const shown = outputs(session);
    assert.deepEqual(shown.filter((_, n) => n % 3 === 2), [2, 5, 8, 11].map((n) => text(n)), "kept whole");
    const ls = session.items().filter((_, at) => at > 0).filter((item) => item.item_type === "TOOL_RESULT").filter((_, n) => n % 3 === 1);
    assert.ok(ls.every((item) => item.form === "cut" && item.tokens > 60 && item.tokens <= 116), JSON.stringify(ls));
    const bash = shown.filter((_, n) => n % 3 === 0).map((content) => content.startsWith("[tool output trimmed"));
    assert.deepEqual(bash, [true, true, true, false], "the oldest before the others, as far as needed");
    assert.ok(valid(session));
  });

  test("a compaction cuts `first` outputs before it cuts or folds others, and never cuts a `keep` output", async () => {
    const session = filled({ contextWindow: 14_000, toolOutputCache: { tools } });
    const { report } = await session.prepare();
    const [cut, first] = report.decisions;
    assert.deepEqual([cut.pass, cut.why], ["cut_tool_outputs", "each tool output is limited to 51200 bytes and 2000 characters per line; outputs of `ls` to 100 tokens"]);
    assert.equal(first.pass, "trim_tool_outputs");
    assert.match(first.why, /toolOutputCache\.tools/);
    const plans = session.items().filter((item) => item.form !== "whole").map(({ id }) => session.message(id)).filter((m) => /line of (2|5|8|11)\n/.test(m.content));
    assert.deepEqual(plans, []);
    assert.ok(valid(session));
  });

  test("rules are plain options: saved, changed, validated", () => {
    const session = filled({ contextWindow: 50_000, toolOutputCache: { contextBudgetTokens: 8_500, tools } });
    const restored = Session.restore(session.snapshot());
    for (const one of [session, restored]) one.push([call("z", "ls", {}), output("z", text(77))]);
    assert.deepEqual(restored.view("openai-chat"), session.view("openai-chat"));
    for (const [tools, key] of [[{ ls: "kept" }, "tools.ls"], [{ ls: { maxTokens: 0 } }, "tools.ls.maxTokens"], [["ls"], "tools"]])
      assert.throws(() => session.setOptions({ toolOutputCache: { tools } }), { code: "INVALID_CONFIG", message: new RegExp(`toolOutputCache\\.${key}\``) });
  });

  test("maxTokens counts tokens, and a cut output that is pushed again is recognised", async () => {
    const session = new Session({ toolOutputCache: { tools: { ls: { maxTokens: 200 } } } });
    session.push([{ role: "user", content: "go" }, call("a", "ls", {}), output("a", "日本語の行\n".repeat(500)), call("b", "cat", {}), output("b", text(1))]);
    const [item] = session.items().filter(({ form }) => form === "cut");
    assert.ok(item.tokens > 120 && item.tokens <= 216, item.tokens);
    const list = session.view("messages");
    const other = new Session({ toolOutputCache: { tools: { ls: { maxTokens: 200 } } } });
    other.push(list);
    assert.deepEqual(other.view("messages").map((m) => m.content), list.map((m) => m.content));
  });
});

describe("a custom pass", () => {
  const laddered = (run, name) => [{ pass: "custom", run, ...(name && { name }) }, { pass: "summarize" }];

  test("it sees the items and decides; the engine keeps calls with their outputs", async () => {
    let seen;
    const run = ({ items, overBy }) => {
      seen = { items, overBy };
      const steps = items.slice(1, 5).map(({ id }) => id); // two whole steps
      const trim = items.filter(({ tool, age }) => tool === "ls" && age > 3).map(({ id }) => id);
      return { drop: steps, trim: trim.filter((id) => !steps.includes(id)) };
    };
    const session = filled({ contextWindow: 18_000, ladder: laddered(run, "mine") });
    const { report } = await session.prepare();
    const { items, overBy } = seen;
    assert.equal(items.length, 25);
    assert.deepEqual({ ...items[2], tokens: 0 }, { id: items[2].id, role: "tool", item_type: "TOOL_RESULT", tool: "bash", tokens: 0, form: "whole", age: 11, pinned: false });
    assert.deepEqual([items[0].role, items[0].age, items.at(-1).age], ["user", 12, 0]);
    assert.equal(overBy, report.tokens_before - 18_000 * 0.5);
    const own = decision(report, "custom");
    assert.equal(own.why, "the custom pass `mine` removed 4 and trimmed 2");
    assert.deepEqual(own.items.length, 6);
    assert.ok(own.tokens_after < own.tokens_before && valid(session));
    assert.equal(session.messages.length, 25, "nothing is lost");
    session.setOptions({ contextWindow: 1_000_000 });
    await session.prepare();
    assert.ok(session.items().length > 4, "what it took comes back with room");
  });

  test("a forbidden decision is refused by id", async () => {
    let ids;
    const run = ({ items }) => ((ids = items.map(({ id }) => id)), { drop: [ids[0], ids[1], ids[3], ids[4], "nowhere"], trim: [ids[0], ids[4]] });
    const session = filled({ contextWindow: 18_000, ladder: laddered(run) });
    session.pin(session.items()[4].id);
    const { report } = await session.prepare();
    const { why } = decision(report, "custom");
    for (const part of [`\`nowhere\` is not in the view`, `\`${ids[0]}\` is not a tool output`, `\`${ids[0]}\` is the newest user message`, `\`${ids[1]}\` can be dropped only together with the rest of its step: \`${ids[2]}\``, `\`${ids[3]}\` is pinned`, `\`${ids[4]}\` is pinned`])
      assert.ok(why.includes(part), `${part} in ${why}`);
    assert.ok(valid(session));
  });

  test("one that throws or returns something else changes nothing, and the next pass runs", async () => {
    for (const [run, said] of [[() => { throw new Error("no"); }, /did nothing: it threw \(no\)/], [async () => ({}), /synchronously/], [() => ({ drop: 1 }), /synchronously/], [() => ({ keep: [] }), /`keep`/], [() => [], /synchronously/]]) {
      const session = filled({ contextWindow: 18_000, ladder: laddered(run) });
      const { report } = await session.prepare();
      const own = decision(report, "custom");
      assert.match(own.why, said);
      assert.equal(own.tokens_after, own.tokens_before);
      assert.ok(decision(report, "summarize") && valid(session));
    }
    const idle = filled({ contextWindow: 18_000, ladder: laddered(() => undefined) });
    assert.equal(decision((await idle.prepare()).report, "custom"), undefined);
  });

  test("an answer that throws when it is read changes nothing, either, and the session goes on", async () => {
    const throwing = (trap) => new Proxy([], { [trap]: () => { throw new Error("revoked"); } });
    for (const run of [() => throwing("ownKeys"), () => new Proxy({}, { ownKeys: () => { throw new Error("revoked"); } }), () => ({ drop: throwing("get") })]) {
      const session = filled({ contextWindow: 18_000, ladder: laddered(run) });
      const { report } = await session.prepare();
      assert.match(decision(report, "custom").why, /synchronously/);
      session.push({ role: "user", content: "Go on." });
      assert.ok(valid(session));
      session.free();
    }
  });

  test("a session whose new ladder throws when it is read can still be freed", () => {
    const session = new Session({ contextWindow: 18_000 });
    const ladder = new Proxy([], { get: () => { throw new Error("revoked"); } });
    assert.throws(() => session.setOptions({ ladder }), /revoked/);
    session.free();
  });

  test("without a function it is refused; a restored session reports that it is missing, and accepts it again", async () => {
    assert.throws(() => new Session({ ladder: [{ pass: "custom" }] }), { code: "INVALID_CONFIG", message: /ladder\[0\]\.run/ });
    const run = ({ items }) => ({ trim: items.filter(({ tool }) => tool === "ls").map(({ id }) => id) });
    const bytes = filled({ contextWindow: 18_000, ladder: laddered(run) }).snapshot();
    const without = await Session.restore(bytes).prepare();
    assert.match(without.report.notices.join(), /custom pass that does nothing because its `run` function is not saved/);
    assert.equal(decision(without.report, "custom"), undefined);
    const again = await Session.restore(bytes, { ladder: laddered(run) }).prepare();
    assert.match(decision(again.report, "custom").why, /trimmed 4/);
    assert.doesNotMatch(again.report.notices?.join() ?? "", /does nothing because/);
  });
});

describe("an undo", () => {
  const folded = async () => {
    const session = new Session({ contextWindow: 4_000 });
    for (let n = 0; n < 30; n++) session.push([{ role: "user", content: `Question ${n} ${"of the build ".repeat(20)}` }, { role: "assistant", content: `Answer ${n} ${"about it ".repeat(20)}` }]);
    session.setOptions({ contextWindow: 3_200 });
    await session.prepare();
    return session;
  };

  test("it reports how full the view is, and what is using it", async () => {
    const session = await folded();
    const [{ id }] = session.folds();
    const undone = session.unfold(id);
    assert.deepEqual([undone.tokens, undone.limit, undone.threshold], [session.tokens, 3_200, 2_560]);
    assert.match(undone.notice, /pin the messages .* larger context window/);
    const roomy = await folded();
    roomy.setOptions({ contextWindow: 100_000 });
    assert.equal("notice" in roomy.unfold(roomy.folds()[0].id), false);
    assert.throws(() => session.unfold("fold_1", { held: true }), { code: "INVALID_ARGUMENT", message: /held/ });
  });

  test("if held, the messages are not folded again while the view fits", async () => {
    for (const hold of [false, true]) {
      const session = await folded();
      const [{ id }] = session.folds();
      session.setOptions({ contextWindow: Math.ceil(session.unfold(id).tokens / 0.84) });
      await session.compact();
      const undone = session.unfold(session.folds()[0].id, { hold });
      assert.equal(undone.tokens > undone.threshold && undone.tokens < undone.limit, true, JSON.stringify(undone));
      assert.equal("notice" in undone, !hold);
      for (let n = 0; n < 2; n++) {
        session.push([{ role: "user", content: "And this? ".repeat(8) }, { role: "assistant", content: "Yes. ".repeat(8) }]);
        await session.prepare();
      }
      assert.equal(session.folds().length, 0, `hold: ${hold}`);
    }
  });
});

test("compaction_progress reports each piece", async () => {
  const told = [];
  const session = new Session({
    contextWindow: 6_000,
    compaction: { summarizerWindow: 1_500 },
    summarize: ({ reason }) => `<summary>A part of it, ${reason}.</summary>`,
  });
  session.on("compaction_progress", ({ chunk, chunks, text, event }) => told.push({ chunk, chunks, text, event }));
  for (let n = 0; n < 40; n++) session.push([{ role: "user", content: `Question ${n} ${"of the build ".repeat(20)}` }, { role: "assistant", content: `Answer ${n} ${"about it ".repeat(20)}` }]);
  await session.compact();
  assert.ok(told.length > 2, JSON.stringify(told));
  const [{ chunks }] = told;
  assert.deepEqual(told.slice(0, chunks).map(({ chunk }) => chunk), Array.from({ length: chunks }, (_, n) => n + 1));
  assert.ok(told.every(({ text, event }) => text.includes("A part of it") && event === "compaction_progress"));
});

test("every pass is in the types, in the guide's table and in both random ladders", () => {
  const refused = () => new Session({ ladder: [{ pass: "none" }] });
  assert.throws(refused, ({ message }) => {
    const known = message.split("known names are ")[1].match(/\w+/g).filter((name) => name !== "custom").sort();
    const file = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
    const named = (path, pattern) => [...new Set([...file(path).matchAll(pattern)].map(([, name]) => name))].filter((name) => name !== "custom").sort();
    assert.deepEqual(named("src/wasm/types.d.ts", /^ +\| \{\s+pass: "(\w+)"/gm), known);
    assert.deepEqual(named("docs/policy.md", /^\| `(\w+)` \|/gm).filter((name) => known.includes(name)), known);
    assert.deepEqual(named("fuzz/options.mjs", /\{ pass: "(\w+)"/g), known);
    assert.deepEqual(named("tests/invariants/generate.rs", /\{ "pass": "(\w+)"/g), known);
    return true;
  });
});
