// `contextfold/testing`: helpers for users' tests of their own agents.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, check, countTokens } from "contextfold";
import { agentTranscript, assertSendable, recordEvents, recordHooks, scriptedSummarize } from "contextfold/testing";
import { prepareStep } from "contextfold/ai-sdk";

test("a scripted summariser answers step by step, and keeps the requests", async () => {
  const summarize = scriptedSummarize(new Error("overloaded"), "<summary>One.</summary>", ({ reason }) => `<summary>Because of ${reason}.</summary>`);
  const session = new Session({ contextWindow: 6_000, summarize, compaction: { maxAttempts: 1, onFailure: "error" } });
  session.push(agentTranscript());
  await assert.rejects(session.compact(), { code: "SUMMARY_FAILED" });
  await session.compact();
  assert.match(session.folds()[0].summary, /One\./);
  session.push(agentTranscript("messages", { task: "And now?" }).map((m) => JSON.parse(JSON.stringify(m).replaceAll(/"call_(?=\d)/g, '"more_'))));
  await session.compact();
  await session.compact();
  assert.match(session.folds().at(-1).summary, /Because of manual/);
  assert.ok(summarize.requests.length >= 3);
});

test("without a script it numbers its summaries", async () => {
  const summarize = scriptedSummarize();
  const session = new Session({ contextWindow: 6_000, summarize });
  session.push(agentTranscript());
  await session.prepare();
  assert.match(session.folds()[0].summary, /^Summary 1 of \d+ messages\.$/);
});

test("events are recorded until recording is stopped", async () => {
  const session = new Session({ contextWindow: 6_000 });
  const recorded = recordEvents(session);
  session.push(agentTranscript());
  await session.prepare();
  assert.equal(recorded.names().filter((name) => name === "message_added").length, 61);
  assert.ok(recorded.names().includes("folded"));
  recorded.stop();
  const before = recorded.events.length;
  session.push({ role: "user", content: "more" });
  assert.equal(recorded.events.length, before);
});

test("hooks are recorded", async () => {
  const hooks = recordHooks();
  const messages = agentTranscript("ai-sdk");
  await prepareStep({ contextWindow: 6_000, ...hooks.options })({ messages, steps: [], stepNumber: 0 });
  assert.ok(hooks.passes().includes("summarize"));
  await prepareStep({ contextWindow: 6_000, compaction: { onFailure: "error" }, summarize: scriptedSummarize(new Error("no")), ...hooks.options })({ messages, steps: [], stepNumber: 0 });
  assert.equal(hooks.errors[0].code, "SUMMARY_FAILED");
});

test("a transcript in every format, of the requested size", () => {
  for (const format of ["messages", "openai-responses", "openai-chat", "anthropic", "ai-sdk", "gemini"]) {
    const list = agentTranscript(format, { calls: 10, tokens: 300, answer: "done" });
    assert.deepEqual(check(format, list).filter(({ severity }) => severity === "error"), []);
    const tokens = countTokens(list);
    assert.ok(tokens > 2_000 && tokens < 6_000, `${format}: ${tokens}`);
  }
});

test("assertSendable says what is wrong", () => {
  assert.ok(assertSendable("openai-chat", agentTranscript("openai-chat", { calls: 2, answer: "done" })) > 500);
  assert.throws(() => assertSendable("openai-chat", [{ role: "tool", tool_call_id: "x", content: "1" }]), /C-orphan-tool/);
  assert.throws(() => assertSendable("openai-chat", agentTranscript("openai-chat"), { limit: 1_000 }), /more than 1000/);
});

test("a transcript's options are checked", () => {
  assert.throws(() => agentTranscript("messages", { call: 5 }), { code: "INVALID_ARGUMENT", message: "`call`: unknown key; did you mean `calls`?" });
  assert.throws(() => agentTranscript("messages", { length: 5 }), { code: "INVALID_ARGUMENT", message: /known keys are `task`, `calls`, `tokens`, `answer`/ });
  for (const options of [null, 5, { calls: "5" }, { tokens: -1 }, { task: 5 }, { answer: null }]) assert.throws(() => agentTranscript("messages", options), { code: "INVALID_ARGUMENT" });
  assert.equal(agentTranscript("messages", { calls: 2, answer: undefined }).length, 5);
});
