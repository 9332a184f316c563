// `contextfold/openclaw`, called the way OpenClaw 2026.9 calls a context engine, in the loop of pi's agent core, against a server on
// 127.0.0.1. The tests do not install OpenClaw itself: it takes hundreds of megabytes and its own Node.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session } from "contextfold";
import { compactionProvider, contextEngine, plugin } from "contextfold/openclaw";
import { openclawSession } from "./support/openclaw-host.mjs";
import { provider } from "./support/provider.mjs";
import { ANSWER, CALLS, FOLDS, TASK, WINDOW, assertFits, assertKept, failingSummary, outputOf, warnings } from "./support/work.mjs";

const STRICT = { strict: true };
const build = {
  name: "build", label: "build", description: "Builds.", parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: async (_id, { n }) => ({ content: [{ type: "text", text: outputOf(n) }], details: {} }),
};
/** What OpenClaw does if no plugin has the slot: all messages are sent. */
const PASSING = { info: { id: "legacy" }, assemble: async ({ messages }) => ({ messages, estimatedTokens: 0 }), compact: async () => ({ ok: true, compacted: false }) };

async function served(t, options) {
  const server = await provider(options);
  t.after(() => server.close());
  return server;
}

function sessionOf(server, engine, more) {
  const model = {
    id: "m", name: "m", api: "openai-completions", provider: "local", baseUrl: `${server.url}/v1`, reasoning: false, input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: WINDOW, maxTokens: 500,
  };
  return openclawSession(engine, { model, tools: [build], tokenBudget: WINDOW, ...more });
}

const textOf = ({ content }) => content.map(({ text }) => text ?? "").join("");

function assertWhole(transcript, calls = CALLS) {
  assert.deepEqual(transcript.filter(({ role }) => role === "toolResult").map(textOf), Array.from({ length: calls }, (_, n) => outputOf(n)));
  assert.equal(textOf(transcript.at(-1)), ANSWER);
}

describe("a context engine", () => {
  test("without it, the window is exceeded", async (t) => {
    const server = await served(t, { window: WINDOW });
    await assert.rejects(sessionOf(server, PASSING).prompt(TASK), /prompt is too long/);
  });

  test("each request fits and is valid, and the transcript is whole", async (t) => {
    const server = await served(t, { window: WINDOW });
    const passes = [];
    const session = sessionOf(server, contextEngine({ ...STRICT, onReport: ({ decisions }) => passes.push(...decisions.map(({ pass }) => pass)) })());
    const transcript = await session.prompt(TASK);
    assertKept("openai-chat", server.bodies);
    assert.equal(server.refused, 0);
    assertWhole(transcript);
    assert.ok(passes.includes("summarize"), `${passes}`);
  });

  test("200 calls, and a summary that throws midway: none is refused or lost", async (t) => {
    const server = await served(t, { window: WINDOW, calls: 200 });
    const errors = [];
    const summarize = failingSummary();
    const transcript = await sessionOf(server, contextEngine({ summarize, onError: (error) => errors.push(error) })()).prompt(TASK);
    assert.ok(summarize.asked > 7, `${summarize.asked} summaries`);
    assert.equal(server.refused, 0);
    assertKept("openai-chat", server.bodies, { calls: 200 });
    assertWhole(transcript, 200);
    assert.ok(errors.length > 0);
  });

  test("durably admitted turns: the history leaves room for what the host appends, and each turn is committed once", async (t) => {
    const engine = contextEngine(STRICT)();
    const whole = await served(t, { calls: 30 });
    const first = sessionOf(whole, engine, { tokenBudget: 1_000_000, isDeferred: true });
    await first.prompt(TASK);
    // The same session with a smaller window, and a turn of eight calls.
    const server = await served(t, { window: WINDOW, calls: 8 });
    const second = sessionOf(server, engine, { isDeferred: true });
    second.transcript.push(...first.transcript);
    await second.prompt("And now?");
    assert.equal(server.refused, 0);
    assert.equal(server.bodies.length, 9);
    for (const body of server.bodies) assertFits("openai-chat", body);
    assert.match(JSON.stringify(server.bodies.at(-1)), /Never edit src\/generated.*And now\?/);
    const turn = { advancementKey: "once", messages: [] };
    assert.deepEqual([await engine.commitTurn(turn), await engine.commitTurn(turn)], [{ status: "committed" }, { status: "duplicate" }]);
    assert.equal(engine.info.transcriptSemantics.currentTurnFence, "before-current-turn-entry-v1");
  });

  test("each instance that OpenClaw creates continues with the session's fold", async (t) => {
    const server = await served(t, { window: WINDOW });
    let summaries = 0;
    const factory = contextEngine({ ...STRICT, ladder: FOLDS, summarize: () => (summaries++, "<summary>The build fails. Never edit src/generated.</summary>") });
    const session = sessionOf(server, factory(), { sessionId: "s" });
    await session.prompt(TASK);
    const before = summaries;
    const next = sessionOf(server, factory(), { sessionId: "s" });
    next.transcript.push(...session.transcript);
    await next.prompt("And now?");
    assert.ok(before > 0 && summaries === before);
    assert.match(JSON.stringify(server.bodies.at(-1)), /The build fails\. Never.*And now\?/);
  });

  test("if the model accepts less than it claims, the engine compacts, and the turn is repeated", async (t) => {
    const server = await served(t, { window: WINDOW / 2 });
    const session = sessionOf(server, contextEngine(STRICT)());
    const transcript = await session.prompt(TASK);
    assert.ok(server.refused > 0 && server.refused < 4, `${server.refused}`);
    assert.ok(session.compactions.every(({ ok, compacted, result }) => ok && compacted && result.tokensAfter < result.tokensBefore));
    assert.equal(textOf(transcript.at(-1)), ANSWER);
  });

  test("/compact folds, reports the result, and the next request is smaller", async (t) => {
    const server = await served(t, { calls: 12 });
    const asked = [];
    const summarize = (request) => (asked.push(JSON.stringify(request.messages)), "<summary>Folded here. Never edit src/generated.</summary>");
    const session = sessionOf(server, contextEngine({ ...STRICT, summarize })(), { tokenBudget: 100_000 });
    await session.prompt(TASK);
    await session.prompt("And?");
    const { ok, compacted, result } = await session.compact("Keep the ticket");
    assert.ok(ok && compacted && result.tokensAfter < result.tokensBefore);
    assert.match(result.summary, /Folded here/);
    assert.match(asked[0], /Keep the ticket/);
    const before = JSON.stringify(server.bodies.at(-1)).length;
    await session.prompt("Go on.");
    assert.ok(JSON.stringify(server.bodies.at(-1)).length < before / 2);
  });

  test("for an unknown session, it says that there is nothing to compact", async () => {
    const { ok, compacted, reason } = await contextEngine()().compact({ sessionId: "unseen", force: true, runtimeContext: { trigger: "budget" } });
    assert.ok(ok && !compacted);
    assert.match(reason, /nothing to compact/, "by these words OpenClaw goes on");
  });

  test("called before each turn because the transcript is long, it does not fold again and again", async (t) => {
    const server = await served(t, { window: WINDOW });
    const engine = contextEngine(STRICT)();
    await sessionOf(server, engine, { sessionId: "s" }).prompt(TASK);
    const { ok, compacted, reason, result } = await engine.compact({ sessionId: "s", force: true, runtimeContext: { trigger: "budget" } });
    assert.ok(ok && !compacted && result.tokensAfter === result.tokensBefore);
    assert.match(reason, /already under target/, "by these words OpenClaw goes on");
  });

  test("an internal failure leaves the agent running, and is reported once", async (t) => {
    const server = await served(t);
    const { result, said } = await warnings(() => sessionOf(server, contextEngine({ tokenizer: () => NaN })(), { tokenBudget: 200_000 }).prompt(TASK));
    assertWhole(result);
    assert.equal(said.length, 1);
  });

  test("strict: assemble throws, and OpenClaw continues with its own engine", async () => {
    const messages = Array.from({ length: 40 }, (_, n) => ({ role: "user", content: outputOf(n), timestamp: n }));
    const engine = contextEngine({ ...STRICT, ladder: FOLDS, summarize: () => Promise.reject(new Error("no model")) })();
    await assert.rejects(engine.assemble({ sessionId: "s", messages, tokenBudget: WINDOW }), /summarize callback failed/);
  });

  test("the usage that OpenClaw reports after a call corrects the counts", async (t) => {
    const server = await served(t, { perToken: 1.5 });
    const session = new Session({ contextWindow: WINDOW * 2, tokenizer: "bytes/4" });
    await sessionOf(server, contextEngine({ session, strict: true })(), { tokenBudget: 100_000 }).prompt(TASK);
    assert.ok(session.report.counter.calibration > 1.2, `${session.report.counter.calibration}`);
  });

  test("a plugin registers the engine under the slot's id", () => {
    const registered = new Map();
    const { id, kind, register } = plugin({ id: "mine" });
    register({ registerContextEngine: (name, factory) => registered.set(name, factory()) });
    assert.deepEqual([id, kind, registered.get("mine").info.id, registered.get("mine").info.ownsCompaction], ["mine", "context-engine", "mine", true]);
  });

  test("wrong options are refused at once", () => {
    assert.throws(() => contextEngine({ contextWindows: 1 }), { code: "INVALID_CONFIG" });
    assert.throws(() => contextEngine({ id: "" }), { code: "INVALID_CONFIG" });
    assert.throws(() => compactionProvider({ model: "gpt-99" }), { code: "UNKNOWN_MODEL" });
  });
});

test("a compaction provider summarizes without a model, or with yours", async () => {
  const messages = [
    { role: "user", content: TASK, timestamp: 1 },
    ...Array.from({ length: 9 }, (_, n) => [
      { role: "assistant", content: [{ type: "toolCall", id: `c${n}`, name: "build", arguments: { n } }], stopReason: "toolUse", timestamp: 1 },
      { role: "toolResult", toolCallId: `c${n}`, toolName: "build", content: [{ type: "text", text: outputOf(n) }], isError: false, timestamp: 1 },
    ]).flat(),
  ];
  const text = await compactionProvider().summarize({ messages, previousSummary: "Earlier: TICKET-1 is done." });
  assert.match(text, /Never edit src\/generated/);
  assert.match(text, /E0308/);
  assert.match(text, /TICKET-1/);
  assert.ok(text.length < JSON.stringify(messages).length / 2);
  const own = await compactionProvider({ summarize: () => "<summary>Mine. Never edit src/generated.</summary>" }).summarize({ messages, customInstructions: "short" });
  assert.match(own, /Mine\./);
});
