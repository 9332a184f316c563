// Section 1 of the specification, number by number: the tool output cache.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, countTokens, toolDefinitions } from "contextfold";
import { assistant, calls, output, user, words } from "../support/session.mjs";

const bytes = (text) => Buffer.byteLength(text);
const lines = (count, word = "line") => Array.from({ length: count }, (_, i) => `${word} ${i + 1}`).join("\n");

/** The message of a tool output in the view of a new session. */
function shown(content, toolOutputCache, id = "call_1") {
  const session = new Session({ toolOutputCache });
  session.push([user("go"), calls(id), output(id, content)]);
  return { session, message: session.view("messages").at(-1) };
}

test("1.3 enabled is true by default: an output gets a ref; false: it stays as it is, without one", () => {
  const huge = "x".repeat(200_000);
  assert.equal(shown("out").message.output_ref.id.length > 0, true);
  assert.ok(shown(huge, { enabled: true }).message.content.length < 60_000);
  const off = shown(huge, { enabled: false });
  assert.equal(off.message.content, huge);
  assert.ok(!("output_ref" in off.message));
  assert.deepEqual(off.session.toolOutputs.refs(), []);
});

test("1.3 maxMessageBytes is 50 * 1024 by default: that many stay whole, one byte more is cut to at most that many", () => {
  const exact = `${"y".repeat(99)}\n`.repeat(512);
  assert.equal(bytes(exact), 50 * 1024);
  assert.equal(shown(exact).message.content, exact);
  const cut = shown(`${exact}z`).message.content;
  assert.notEqual(cut, `${exact}z`);
  assert.ok(bytes(cut) <= 50 * 1024, `${bytes(cut)} bytes`);
  assert.ok(bytes(cut) > 50 * 1024 - 500, "it is filled, not halved");
});

test("1.3 maxLineLength is 2000 code points by default: 2000 stay, the 2001st is cut", () => {
  for (const one of ["a", "é", "日", "👍"]) {
    const fits = one.repeat(2000);
    assert.equal(shown(fits).message.content, fits, one);
    const cut = shown(`${fits}${one}\nnext`).message.content.split("\n");
    assert.equal(cut[0], fits, one);
    assert.equal(cut[1], "next", one);
  }
});

test("1.3 contextBudgetTokens: null is clamp(context_window * 0.25, 20_000, 60_000)", async () => {
  const budgetOf = async (options) => (await new Session({ ladder: "spec", ...options }).prepare()).report.budgets.tool_outputs;
  for (const toolOutputCache of [{}, { contextBudgetTokens: null }]) {
    const of = (contextWindow) => budgetOf({ contextWindow, toolOutputCache });
    assert.equal(await of(1000), 20_000);
    assert.equal(await of(80_000), 20_000);
    assert.equal(await of(80_004), 20_001);
    assert.equal(await of(128_000), 32_000);
    assert.equal(await of(240_000), 60_000);
    assert.equal(await of(1_000_000), 60_000);
  }
  assert.equal(await budgetOf({}), 20_000, "no window is known");
  assert.equal(await budgetOf({ contextWindow: 128_000, toolOutputCache: { contextBudgetTokens: 7 } }), 7);
});

test("1.3 without a tokenizer tokens are bytes / 4, rounded up", () => {
  for (const [text, tokens] of [["", 0], ["a", 1], ["abcd", 1], ["abcde", 2], ["日本", 2], ["👍", 1], ["x".repeat(4001), 1001]])
    assert.equal(countTokens(text, "bytes/4"), tokens, text.slice(0, 9));
});

test("1.4 and 1.5 the full content is stored, and the tool message holds { id, byte_size, line_count }", async () => {
  const text = `${lines(3000)}\n日本`;
  const { session, message } = shown(text, { maxMessageBytes: 1000 });
  assert.deepEqual(message.output_ref, { id: message.output_ref.id, byte_size: bytes(text), line_count: 3001 });
  assert.equal(await session.toolOutputs.get(message.output_ref.id), text);
  assert.deepEqual(session.toolOutputs.refs(), [message.output_ref]);
  const inHistory = session.messages.at(-1);
  assert.equal(inHistory.content, text, "the history is not cut");
  assert.deepEqual(inHistory.output_ref, message.output_ref);
});

test("1.6 a cut output ends with a notice that names the ref and how to read on", async () => {
  const { session, message } = shown(lines(5000), { maxMessageBytes: 1000 });
  const { id } = message.output_ref;
  const [notice] = message.content.split("\n").slice(-1);
  assert.match(notice, new RegExp(`^\\[.*ref=${id}.*tool_output_cache\\(.*\\]$`));
  assert.ok(bytes(message.content) <= 1000);
  // Reading on as the notice says starts exactly where the view ends.
  const { ref_id, offset } = JSON.parse(notice.match(/tool_output_cache\((\{.*?\})\)/)[1]);
  const last = message.content.split("\n").at(-2);
  assert.equal(last, `line ${offset}`);
  assert.match(await session.toolOutputs.read({ ref_id, offset, limit: 1 }), new RegExp(`line ${offset + 1}\\b`));
});

test("1.6 the notice also mentions cut lines, and no cut splits a character", () => {
  const text = ["👩‍👩‍👧‍👦".repeat(300), "é".repeat(99)].join("\n");
  const { message } = shown(text, { maxLineLength: 50 });
  const [family, accents, notice] = message.content.split("\n");
  assert.ok([...family].length <= 50 && "👩‍👩‍👧‍👦".repeat(300).startsWith(family));
  assert.equal(family.length % "👩‍👩‍👧‍👦".length, 0, "whole families only");
  assert.equal(accents, "é".repeat(50));
  assert.match(notice, /2 of them cut at 50 characters/);
});

test("1.7 the oldest outputs become placeholders, as many as newer ones need room; output_ref stays", () => {
  const session = new Session({ tokenizer: "bytes/4", toolOutputCache: { contextBudgetTokens: 1000 } });
  session.setTools("openai-chat", toolDefinitions("openai-chat")); // the model can open refs
  const forms = () => session.view("messages").filter((m) => m.role === "tool").map((m) => m.content.length);
  session.push(user("go"));
  const seen = [];
  for (let n = 0; n < 6; n++) {
    session.push([calls(`c${n}`), output(`c${n}`, String(n).repeat(1500))]);
    seen.push(forms().filter((size) => size === 1500).length);
  }
  assert.deepEqual(seen, [1, 2, 1, 2, 1, 2], "375 + 8 tokens each: two fit into 1000, and one into the half that a trim goes down to");
  for (const message of session.view("messages").filter((m) => m.role === "tool" && m.content.length < 1500)) {
    assert.match(message.content, new RegExp(`^\\[tool output trimmed: \\w+.*, \\d+ tokens; ref=${message.output_ref.id}\\]$`));
    assert.ok(message.output_ref.byte_size === 1500 && message.output_ref.line_count === 1);
  }
});

test("1.7 a trimmed output is never restored automatically, and the history keeps it", () => {
  const session = new Session({ tokenizer: "bytes/4", toolOutputCache: { contextBudgetTokens: 300 } });
  session.push([user("go"), calls("a", "b"), output("a", "A".repeat(1000)), output("b", "B".repeat(1000))]);
  const before = session.view("messages")[2].content;
  session.push([assistant("fine"), user("more")]);
  assert.equal(session.view("messages")[2].content, before);
  assert.equal(session.messages[2].content, "A".repeat(1000));
});

test("1.8 tool_output_cache({ ref_id, offset?, limit? }) returns numbered lines", async () => {
  const { session, message } = shown(lines(100));
  const ref_id = message.output_ref.id;
  const numbered = (text) => text.split("\n").map((line) => line.match(/^\s*(\d+)\D+(line \d+)$/)).filter(Boolean).map((m) => `${m[1]}:${m[2]}`);
  const expected = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}:line ${from + i}`);
  assert.deepEqual(numbered(await session.toolOutputs.read({ ref_id })), expected(1, 100));
  assert.deepEqual(numbered(await session.toolOutputs.read({ ref_id, offset: 10, limit: 5 })), expected(11, 15));
  assert.deepEqual(numbered(await session.toolOutputs.read({ ref_id, offset: 98, limit: 50 })), expected(99, 100));
  assert.deepEqual(numbered(await session.toolOutputs.read({ ref_id, offset: 100 })), []);
});

test("1.8 limit is 2000 lines by default", async () => {
  const { session, message } = shown(lines(2500, "l"));
  const text = await session.toolOutputs.read({ ref_id: message.output_ref.id });
  assert.ok(/\bl 2000\b/.test(text) && !/\bl 2001\b/.test(text));
});

test("1.8 tool_output_cache_grep finds lines with their numbers; both tools have definitions", async () => {
  const { session, message } = shown(lines(100));
  const found = await session.toolOutputs.grep({ ref_id: message.output_ref.id, pattern: "^line 7\\d?$" });
  assert.equal(found.split("\n").filter((line) => /line 7\d?$/.test(line)).length, 11);
  for (const format of ["openai-responses", "openai-chat", "anthropic", "ai-sdk", "gemini", "messages"]) {
    const text = JSON.stringify(toolDefinitions(format));
    for (const name of ["tool_output_cache", "tool_output_cache_grep", "ref_id", "offset", "limit", "pattern"])
      assert.ok(text.includes(`"${name}"`), `${format}: ${name}`);
  }
});

test("1.9 unreferenced refs can be collected; a dry run only lists them", async () => {
  const { session, message } = shown("kept");
  const loose = session.toolOutputs.put("nobody asks for this");
  assert.deepEqual(session.toolOutputs.collectGarbage({ dryRun: true }), [loose]);
  assert.equal(session.toolOutputs.refs().length, 2);
  assert.deepEqual(session.toolOutputs.collectGarbage(), [loose]);
  assert.deepEqual(session.toolOutputs.refs(), [message.output_ref]);
  await assert.rejects(session.toolOutputs.get(loose.id), { code: "UNKNOWN_REF" });
});

test("1.9 folded outputs are still reachable: the history mentions their refs", async () => {
  const session = new Session({ contextWindow: 50_000, summarize: () => "short" });
  session.push([user("go"), calls("a"), output("a", words(300)), assistant("done"), user("next"), assistant("yes")]);
  await session.compact();
  assert.equal(session.folds().length, 1);
  assert.deepEqual(session.toolOutputs.collectGarbage(), []);
  assert.equal(await session.toolOutputs.get(session.messages[2].output_ref.id), words(300));
});

test("1.10 outputs stream in by chunks, and content parts are kept whole", async () => {
  const session = new Session();
  const { id } = session.toolOutputs.put("first\n");
  const ref = session.toolOutputs.append(id, "second\n");
  assert.deepEqual(ref, { id, byte_size: 13, line_count: 2 });
  assert.equal(await session.toolOutputs.get(id), "first\nsecond\n");
  const parts = [{ type: "text", text: "see" }, { type: "image", url: "https://host.invalid/a.png" }];
  assert.deepEqual(await session.toolOutputs.get(session.toolOutputs.put(parts).id), parts);
});
