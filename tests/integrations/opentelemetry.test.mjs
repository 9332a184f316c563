// `contextfold/opentelemetry`: attributes and events, through the real API with a span that records them.

import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { after, before, test } from "node:test";
import { ROOT_CONTEXT, context, trace } from "@opentelemetry/api";
import { Session } from "contextfold";
import { prepareStep } from "contextfold/ai-sdk";
import { traceReports, traceSession } from "contextfold/opentelemetry";
import { agentTranscript, scriptedSummarize } from "contextfold/testing";

const storage = new AsyncLocalStorage();
before(() =>
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, self, ...args) => storage.run(active, () => run.call(self, ...args)),
    bind: (_, target) => target,
    enable() { return this; },
    disable() { return this; },
  }),
);
after(() => context.disable());

function span(recording = true) {
  const out = { attributes: {}, events: [] };
  return Object.assign(out, {
    isRecording: () => recording,
    setAttribute: (key, value) => void (out.attributes[key] = value),
    addEvent: (name, attributes) => void out.events.push({ name, ...attributes }),
    spanContext: () => ({ traceId: "0".repeat(31) + "1", spanId: "0".repeat(15) + "1", traceFlags: 1 }),
  });
}
const within = (active, run) => context.with(trace.setSpan(context.active(), active), run);

test("an integration's reports are added to the active span", async () => {
  const step = prepareStep({ contextWindow: 6_000, strict: true, onReport: traceReports(trace) });
  const [quiet, folding] = [span(), span()];
  await within(quiet, () => step({ messages: agentTranscript("ai-sdk", { calls: 2 }), steps: [], stepNumber: 0 }));
  assert.deepEqual(quiet.attributes, {}, "nothing was compacted, so nothing is said");
  await within(folding, () => step({ messages: agentTranscript("ai-sdk"), steps: [], stepNumber: 0 }));
  assert.equal(folding.attributes["gen_ai.conversation.compacted"], true);
  assert.ok(folding.attributes["contextfold.tokens_after"] < folding.attributes["contextfold.tokens_before"]);
  const decision = folding.events.find((event) => event["contextfold.pass"] === "summarize");
  assert.equal(decision.name, "contextfold.decision");
  assert.ok(decision["contextfold.items"] > 0 && decision["contextfold.why"].length > 0);
});

test("a session alone, and a failing compaction", async () => {
  const session = new Session({ contextWindow: 6_000, compaction: { maxAttempts: 1, onFailure: "error" }, summarize: scriptedSummarize(new Error("no"), "<summary>One.</summary>") });
  const stop = traceSession(trace, session);
  session.push(agentTranscript());
  const [failing, folding, later] = [span(), span(), span()];
  await within(failing, () => session.compact().catch(() => {}));
  assert.deepEqual(failing.events.map(({ name }) => name), ["contextfold.compaction_failed"]);
  await within(folding, () => session.compact());
  assert.equal(folding.attributes["gen_ai.conversation.compacted"], true);
  stop();
  await within(later, () => session.compact());
  assert.deepEqual(later.events, []);
});

test("a session alone: a run without a summary is told in its own span, an idle one is not", async () => {
  const session = new Session({ contextWindow: 20_000 });
  const stop = traceSession(trace, session);
  const [idle, pushing, cutting] = [span(), span(), span()];
  session.push(agentTranscript(undefined, { calls: 2 }));
  await within(idle, () => session.prepare());
  for (let i = 0; session.tokens < 20_000; i++) within(pushing, () => session.push(agentTranscript(undefined, { task: `Task ${i}: ${"which words are long? ".repeat(200)}` })));
  await within(cutting, () => session.prepare());
  assert.deepEqual([idle.attributes, idle.events, pushing.attributes], [{}, [], {}]);
  assert.deepEqual(cutting.events.map((event) => event["contextfold.pass"]), ["even_cut"]);
  assert.equal(cutting.attributes["contextfold.tokens_after"], session.tokens);
  stop();
});

test("without a span, or with one that does not record, nothing happens", async () => {
  const step = prepareStep({ contextWindow: 6_000, strict: true, onReport: traceReports(trace) });
  await step({ messages: agentTranscript("ai-sdk"), steps: [], stepNumber: 0 });
  const off = span(false);
  await within(off, () => step({ messages: agentTranscript("ai-sdk", { task: "Another." }), steps: [], stepNumber: 0 }));
  assert.deepEqual([off.attributes, off.events], [{}, []]);
});
