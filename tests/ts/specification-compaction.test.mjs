// Section 2 of the specification, number by number: compaction.

import assert from "node:assert/strict";
import { test } from "node:test";
import { OpenAIHistoryAdapter, Session, contextLimit, shouldCompact, tokenUsage } from "contextfold";
import { assistant, conversation, failsWith, user, words } from "../support/session.mjs";

/** Compacts a conversation of three turns and returns the request that was made. */
async function requestOf(compaction, { model, instructions } = {}) {
  let request;
  const session = new Session({ ladder: "spec", contextWindow: 100_000, model, compaction, summarize: (r) => ((request = r), "<summary>s</summary>") });
  session.push(conversation(3));
  await session.compact({ instructions });
  return request;
}

const instruction = (request) => request.messages.at(-1).content;
const used = (total) => ({ input_tokens: total, output_tokens: 0, cache_creation_tokens: 0, cache_read_tokens: 0, total_tokens: total });

test("2.2 thresholdRatio is 0.8 by default", () => {
  assert.equal(new Session({ ladder: "spec", contextWindow: 1000 }).threshold, 800);
  assert.equal(new Session({ ladder: "spec", contextWindow: 1000, compaction: { thresholdRatio: 0.5 } }).threshold, 500);
  assert.equal(shouldCompact(used(800), 1000), true);
  assert.equal(shouldCompact(used(799), 1000), false);
});

test("2.2 enabled and auto are true by default, retainLastTurns is 1, model and retainPrompt are null", async () => {
  assert.equal(shouldCompact(used(10), 10, {}), true);
  const request = await requestOf({});
  assert.equal(request.model, null);
  assert.ok(!instruction(request).includes("<retain>"));
  const explicit = await requestOf({ enabled: true, auto: true, model: null, retainPrompt: null, retainDirectives: [], summaryDirectives: [], retainLastTurns: 1, thresholdRatio: 0.8 });
  assert.equal(JSON.stringify(explicit), JSON.stringify(request));
});

test("2.3 total = input + cache_creation + cache_read + output, computed from a ChatInvokeUsage", () => {
  const usage = { prompt_tokens: 130, prompt_cached_tokens: 20, prompt_cache_creation_tokens: 10, prompt_image_tokens: null, completion_tokens: 7, total_tokens: 137 };
  const { total_tokens, ...parts } = tokenUsage(usage);
  assert.equal(total_tokens, Object.values(parts).reduce((a, b) => a + b));
  assert.equal(parts.output_tokens, 7);
  const own = { input_tokens: 1, output_tokens: 2, cache_creation_tokens: 4, cache_read_tokens: 8 };
  assert.deepEqual(tokenUsage(own), { ...own, total_tokens: 15 });
  assert.deepEqual(tokenUsage({ ...own, total_tokens: 9999 }), { ...own, total_tokens: 15 }, "computed, not taken over");
});

test("2.4 the limit is max_input_tokens, or else max_tokens; an unknown model is an error, not a guess", () => {
  assert.equal(contextLimit("m", { m: { max_input_tokens: 900, max_tokens: 700 } }), 900);
  assert.equal(contextLimit("m", { m: { max_tokens: 700 } }), 700);
  for (const model of ["nobody-knows-this", ""]) assert.throws(() => contextLimit(model), failsWith("UNKNOWN_MODEL"), model);
  assert.throws(() => contextLimit("m", { m: {} }), failsWith("UNKNOWN_MODEL"));
  assert.throws(() => contextLimit("m", { m: { max_tokens: 500, max_output_tokens: 500 } }), failsWith("UNKNOWN_MODEL"), "plainly the output cap");
  assert.throws(() => new Session({ model: "nobody-knows-this" }), failsWith("UNKNOWN_MODEL", /nobody-knows-this/));
});

test("2.4 threshold = contextLimit * thresholdRatio; the output is not subtracted twice", () => {
  const session = new Session({ model: "gpt-5", reservedOutputTokens: 128_000 });
  assert.deepEqual([session.window, session.limit, session.threshold], [400_000, 272_000, 217_600]);
  const shared = new Session({ ladder: "spec", contextWindow: 128_000, reservedOutputTokens: 28_000 });
  assert.deepEqual([shared.limit, shared.threshold], [100_000, 80_000]);
  assert.equal(new Session({ ladder: "spec", contextWindow: 20, reservedOutputTokens: 20 }).limit, 0);
  assert.equal(new Session({ ladder: "spec", contextWindow: 10, reservedOutputTokens: 20 }).limit, 0, "0 at the least");
});

test("2.4 a fractional threshold is not exceeded before it is reached", () => {
  assert.equal(shouldCompact(used(800), 1001), false, "800 < 800.8");
  assert.equal(shouldCompact(used(801), 1001), true);
});

test("2.5 enabled=false → false; auto=false → false; total_tokens >= threshold → true", async () => {
  for (const off of [{ enabled: false }, { auto: false }]) {
    assert.equal(shouldCompact(used(1_000_000), 10, off), false);
    const session = new Session({ ladder: "spec", contextWindow: 500, compaction: off, summarize: () => assert.fail("asked") });
    session.push(conversation(3));
    assert.equal(session.shouldCompact(), false);
    assert.equal(await session.checkAndCompact(), null);
  }
  assert.equal(shouldCompact(used(50), 100, { thresholdRatio: 0.5 }), true);
  assert.equal(shouldCompact(used(49), 100, { thresholdRatio: 0.5 }), false);
});

test("2.5 compact() runs in any case, auto or not", async () => {
  const session = new Session({ ladder: "spec", contextWindow: 100_000, compaction: { auto: false }, summarize: () => "<summary>s</summary>" });
  session.push(conversation(3));
  assert.equal((await session.compact()).messages_after, 5);
});

test("2.6 the shaped messages, then one user message with the instructions, no tools", async () => {
  const request = await requestOf({});
  assert.equal(request.tools, null);
  assert.equal(request.messages.length, conversation(3).length + 1);
  assert.equal(request.messages.at(-1).role, "user");
  assert.match(instruction(request), /<summary>/);
  const bare = (m) => (({ output_ref, id, ...rest }) => rest)(m);
  assert.deepEqual(request.messages.slice(0, -1).map(bare), conversation(3));
  for (const format of ["messages", "openai-chat", "openai-responses"]) assert.ok(!("tools" in request.as(format)), format);
});

test("2.6 retain and summary are extracted from the text; neither the request nor the answer enters the history", async () => {
  const session = new Session({
    ladder: "spec", contextWindow: 100_000,
    compaction: { retainPrompt: "refs", ledgerTokens: 0 },
    summarize: () => "Sure.\n<retain>\n keep me \n</retain>\nthinking\n<summary>\n the gist \n</summary>\nbye",
  });
  const pushed = conversation(3);
  session.push(pushed);
  await session.compact();
  assert.deepEqual(session.view("messages").slice(0, 2).map((m) => m.content), ["keep me", "the gist"]);
  assert.equal(session.messages.length, pushed.length);
  const [fold] = session.folds();
  assert.deepEqual([fold.retain, fold.summary], ["keep me", "the gist"]);
});

test("2.6.2 compaction.model goes into the request; null or omitted: the caller's own model", async () => {
  assert.equal((await requestOf({ model: "small" })).model, "small");
  assert.equal((await requestOf({ model: "small" })).as("openai-chat").model, "small");
  assert.equal((await requestOf({ model: null })).model, null);
  assert.ok(!("model" in (await requestOf({})).as("openai-chat")));
  assert.equal((await requestOf({}, { model: "gpt-4o" })).model, null);
});

test("2.6.3 summaryDirectives are appended as bullets and replace nothing", async () => {
  const plain = instruction(await requestOf({}));
  const more = instruction(await requestOf({ summaryDirectives: ["Keep $& and $1.", "Name the branch."] }));
  assert.ok(more.startsWith(plain));
  assert.ok(more.endsWith("\n- Keep $& and $1.\n- Name the branch."));
  const own = instruction(await requestOf({ summaryPrompt: "In one <summary> please.", summaryDirectives: ["a"] }));
  assert.equal(own, "In one <summary> please.\n\n- a");
  assert.match(instruction(await requestOf({ summaryPrompt: "No tags." })), /^No tags\.[^]*<summary>/);
});

test("2.6.4 blank directives ask for nothing", async () => {
  assert.equal(instruction(await requestOf({ retainDirectives: ["", " "], summaryDirectives: ["\n"] })), instruction(await requestOf({})));
});

test("2.6.4 retainPrompt fills the <retain> section, retainDirectives are its bullets", async () => {
  const text = instruction(await requestOf({ retainPrompt: "List refs.", retainDirectives: ["and dates"], summaryDirectives: ["brief"] }));
  const at = (needle) => (assert.ok(text.includes(needle), needle), text.indexOf(needle));
  assert.ok(at("<retain>") < at("List refs."));
  assert.ok(at("List refs.") < at("- and dates") && at("- and dates") < at("<summary>"));
  assert.ok(at("<summary>") < at("- brief"));
});

test("2.7 the view is retain + summary + the last N turns, for every N", async () => {
  for (const retainLastTurns of [0, 1, 2, 3]) {
    const session = new Session({
      ladder: "spec", contextWindow: 100_000,
      compaction: { retainLastTurns, retainPrompt: "r", ledgerTokens: 0 },
      summarize: () => "<retain>R</retain><summary>S</summary>",
    });
    session.push(conversation(4));
    const before = session.view("messages");
    await session.compact();
    const [retain, summary, ...rest] = session.view("messages");
    assert.deepEqual([retain, summary].map((m) => [m.role, m.content]), [["user", "R"], ["user", "S"]]);
    // The newest user message survives every pass (INV-2), even if no turn is retained.
    assert.deepEqual(rest, retainLastTurns === 0 ? [before[12]] : before.slice(-4 * retainLastTurns), `${retainLastTurns} turns`);
  }
});

test("2.7 the next compaction summarises the earlier retain and summary, and replaces them", async () => {
  const asked = [];
  const session = new Session({
    ladder: "spec", contextWindow: 100_000,
    compaction: { retainPrompt: "r", ledgerTokens: 0 },
    summarize: (r) => (asked.push(r), `<retain>R${asked.length}</retain><summary>S${asked.length}</summary>`),
  });
  session.push(conversation(3));
  await session.compact();
  session.push(conversation(2, 120, "next"));
  await session.compact();
  assert.deepEqual(asked[1].messages.slice(0, 2).map((m) => m.content), ["R1", "S1"], "never lost");
  assert.deepEqual(session.view("messages").slice(0, 2).map((m) => m.content), ["R2", "S2"], "never stacked");
  assert.ok(!JSON.stringify(session.view("messages")).includes("S1"));
});

test("2.7.1 OpenAIHistoryAdapter: after a compaction inputItems is rebuilt and older provider items are gone", async () => {
  const items = [
    { role: "user", content: words(200) },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "abc" },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: words(200) },
    { type: "message", role: "assistant", id: "msg_1", status: "completed", content: [{ type: "output_text", text: "done", annotations: [] }] },
    { role: "user", content: "next" },
    { type: "message", role: "assistant", id: "msg_2", status: "completed", content: [{ type: "output_text", text: "yes", annotations: [] }] },
  ];
  const adapter = new OpenAIHistoryAdapter(items);
  const session = new Session({ ladder: "spec", contextWindow: 100_000, compaction: { ledgerTokens: 0 }, summarize: () => "<summary>S</summary>" });
  session.pushFrom("openai-responses", items);
  await session.compact();
  const sent = adapter.rebuild(session.view("messages"));
  assert.equal(sent, adapter.inputItems);
  assert.deepEqual(sent.map((i) => i.id ?? i.content), ["S", "next", "msg_2"].map((x, i) => (i === 0 ? sent[0].content : x)));
  assert.equal(sent[1], items[5]);
  assert.equal(sent[2], items[6]);
  assert.match(JSON.stringify(sent[0]), /"S"/);
  assert.ok(!/rs_1|fc_1|call_1|msg_1/.test(JSON.stringify(sent)));
});

test("2.8 hooks: after a model call, after tools (by the last usage), and once before the final answer", async () => {
  let asked = 0;
  const session = new Session({ ladder: "spec", contextWindow: 10_000, summarize: () => (asked++, "<summary>s</summary>") });
  session.push(conversation(3));
  assert.equal(await session.afterModelCall({ input_tokens: 7000, output_tokens: 999 }), null);
  assert.equal(await session.afterToolExecution(), null, "judged by the last usage: 7999 < 8000");
  const report = await session.afterModelCall({ input_tokens: 7000, output_tokens: 1000 });
  assert.ok(report.decisions.some((d) => d.pass === "summarize"));
  assert.equal(await session.afterToolExecution(), null, "the usage of before the compaction judges nothing after it");
  session.push(conversation(2, 120, "b"));
  session.recordUsage({ input_tokens: 8000, output_tokens: 0 });
  assert.ok(await session.beforeFinalAnswer());
  assert.equal(asked, 2);
  session.push(conversation(2, 120, "c"));
  session.recordUsage({ input_tokens: 8000, output_tokens: 0 });
  assert.ok(await session.afterToolExecution());
});

test("2.8 loop() runs all three hooks and passes on their results", async () => {
  let asked = 0;
  const session = new Session({ ladder: "spec", contextWindow: 10_000, summarize: () => (asked++, "<summary>s</summary>") });
  session.push(conversation(3));
  const { modelCall, toolExecution, finalAnswer } = session.loop();
  const answer = { text: "hi", usage: { input_tokens: 8000, output_tokens: 1 } };
  assert.equal(await modelCall(async () => answer), answer);
  assert.equal(asked, 1);
  assert.equal(await toolExecution(() => 7), 7);
  assert.equal(await finalAnswer(() => "bye"), "bye");
  assert.equal(asked, 1);
  const thrown = new Error("the model is down");
  await assert.rejects(modelCall(() => Promise.reject(thrown)), (e) => e === thrown);
  await assert.rejects(toolExecution(() => { throw thrown; }), (e) => e === thrown);
});

test("2.1 folding works in small windows as well as in large ones", async () => {
  const session = new Session({ ladder: "spec", contextWindow: 250, summarize: () => "<summary>short</summary>" });
  for (let n = 0; n < 4; n++) session.push([user(`question ${n} ${words(12, n)}`), assistant(`answer ${n} ${words(12, n)}`)]);
  assert.ok(session.tokens > 250);
  const { report } = await session.prepare();
  assert.ok(report.tokens_after <= 225);
});

test("2.8 a failed compaction does not lose the hook's result: it is reported by event and report", async () => {
  const session = new Session({ ladder: "spec", contextWindow: 500, summarize: () => { throw new Error("down"); } });
  session.push(conversation(3));
  const heard = [];
  session.on("compaction_failed", (event) => heard.push(event.detail));
  for (const hook of ["modelCall", "toolExecution", "finalAnswer"]) assert.equal(await session.loop()[hook](() => hook), hook);
  assert.equal(heard.length, 3);
  assert.match(session.report.decisions.at(-1).why, /SUMMARY_FAILED/);
  assert.equal(session.folds().length, 0);
});

test("2.1 the newest user message is never folded, whatever the window", async () => {
  const session = new Session({ ladder: "spec", contextWindow: 1500, summarize: () => "<summary>s</summary>" });
  session.push([user(words(100)), assistant(words(400)), user("the newest question")]);
  const { messages } = await session.prepare();
  assert.equal(messages.at(-1).content, "the newest question");
});
