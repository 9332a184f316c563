// No summary is available: which calls go on, who is told, and what the error says.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session } from "contextfold";
import { deferred, failsWith, settled } from "../support/session.mjs";

/** Folds all but the last turns: these tests are about how a summary is requested, checked and applied, not about its contents. */
const ladder = [{ pass: "ephemeral" }, { pass: "trim_tool_outputs" }, { pass: "dedupe_reads" }, { pass: "summarize" }];

const phrases = (count) => Array.from({ length: count }, (_, i) => `word${i} goes on`).join(" ");

/** A session above its threshold; with more than nine turns, above its limit. */
function sessionWith(summarize, turns = 9, compaction = {}) {
  const session = new Session({ ladder, contextWindow: 8_000, summarize, compaction });
  for (let n = 0; n < turns; n++) session.push([{ role: "user", content: phrases(170) }, { role: "assistant", content: "ok" }]);
  assert.ok(session.shouldCompact() && session.tokens > 7_200 === turns > 9, `${session.tokens}`);
  return session;
}
const overloaded = async () => { throw new Error("529 overloaded"); };

const HOOKS = {
  afterModelCall: (session) => session.afterModelCall({ input_tokens: session.tokens, output_tokens: 4 }),
  afterToolExecution: (session) => session.afterToolExecution(),
  beforeFinalAnswer: (session) => session.beforeFinalAnswer(),
};

describe("a hook of an agent loop", () => {
  for (const [name, hook] of Object.entries(HOOKS)) {
    test(`${name} goes on if the view fits, and says so`, async () => {
      const session = sessionWith(overloaded);
      const events = [];
      session.on("compaction_failed", (event) => events.push(event.detail));
      const [report, before] = [await hook(session), session.tokens];
      assert.match(report.summary.fallback, /SUMMARY_FAILED.*529 overloaded.*the view fits/);
      assert.match(report.decisions.at(-1).why, /529 overloaded/);
      assert.deepEqual([events.length, session.folds().length, report.tokens_after], [1, 0, before]);
      assert.equal((await session.prepare()).report.tokens_after, before);
    });

    test(`${name} rejects if the view does not fit`, async () => {
      await assert.rejects(hook(sessionWith(overloaded, 14)), failsWith("SUMMARY_FAILED", /The view takes \d+ tokens, over its limit of 7200/));
    });
  }

  test("goes on alongside a compaction that fails and rejects", async () => {
    const answer = deferred();
    const session = sessionWith(() => answer.promise);
    const runs = [session.compact(), session.beforeFinalAnswer()];
    await settled();
    answer.reject(new Error("529 overloaded"));
    const [compacted, hook] = await Promise.allSettled(runs);
    assert.deepEqual([compacted.status, compacted.reason?.code, hook.status], ["rejected", "SUMMARY_FAILED", "fulfilled"]);
  });

  test("that goes on does not satisfy a compaction requested alongside", async () => {
    const answer = deferred();
    const session = sessionWith(() => answer.promise);
    const runs = [session.beforeFinalAnswer(), session.compact()];
    await settled();
    answer.reject(new Error("529 overloaded"));
    const [hook, compacted] = await Promise.allSettled(runs);
    assert.deepEqual([hook.status, compacted.status, compacted.reason?.code], ["fulfilled", "rejected", "SUMMARY_FAILED"]);
  });
});

test("an explicit fold rejects, though the view fits", async () => {
  for (const run of [(s) => s.compact(), (s) => s.checkAndCompact(), (s) => s.plan().apply()]) {
    const session = sessionWith(overloaded);
    await assert.rejects(run(session), failsWith("SUMMARY_FAILED", /onFailure: "extractive"/));
    assert.equal(session.folds().length, 0);
    assert.match(session.report.decisions.at(-1).why, /529 overloaded/);
  }
});

describe("what the error says", () => {
  const flaky = (...answers) => {
    let n = 0;
    return async () => answers[n++ % answers.length]();
  };
  const limited = () => { throw new Error("429 rate limited: retry after 20s"); };

  test("the reason why each attempt failed", async () => {
    const session = sessionWith(flaky(limited, () => ""), 14);
    const all = /SUMMARY_EMPTY.*attempt 2; attempt 1: SUMMARY_FAILED: .*429 rate limited/;
    await assert.rejects(session.prepare(), (e) => failsWith("SUMMARY_EMPTY", /attempt 1: SUMMARY_FAILED: .*429 rate limited: retry after 20s/)(e) && all.test(e.report.decisions.at(-1).why));
    const fits = sessionWith(flaky(limited, () => ""));
    assert.match((await fits.prepare()).report.summary.fallback, all);
    const replaced = sessionWith(flaky(limited, () => ""), 14, { onFailure: "extractive" });
    assert.match((await replaced.prepare()).report.summary.fallback, /used instead: SUMMARY_EMPTY.*429 rate limited/);
  });

  test("a repeated reason only once", async () => {
    await assert.rejects(sessionWith(overloaded).compact(), (e) => failsWith("SUMMARY_FAILED")(e) && !/attempt/.test(e.message));
  });

  for (const [code, answer] of Object.entries({ SUMMARY_EMPTY: "", SUMMARY_INVALID: "I'm sorry, but I can't help with that." }))
    test(`${code}: by how much the view is too large, and what helps`, async () => {
      const says = /The view takes \d+ tokens, over its limit of 7200: call again/;
      await assert.rejects(sessionWith(async () => answer, 14).prepare(), (e) => failsWith(code, says)(e) && failsWith(code, /onFailure: "extractive"/)(e));
    });
});

describe("under the default ladder", () => {
  const talk = (summarize, compaction = {}, turns = 60) => {
    const session = new Session({ contextWindow: 4_000, summarize, compaction });
    for (let n = 0; n < turns; n++) session.push([{ role: "user", content: `Question ${n}: ${phrases(20)}` }, { role: "assistant", content: `Answer ${n}: ${phrases(20)}` }]);
    return session;
  };

  test("the built-in summariser is used, and report and event say so", async () => {
    const session = talk(overloaded);
    const failed = [];
    session.on("compaction_failed", (event) => failed.push(event.detail));
    const { report } = await session.prepare();
    assert.equal(session.folds().length, 1);
    assert.match(report.summary.fallback, /the extractive summariser was used instead: SUMMARY_FAILED.*529 overloaded/);
    assert.match(failed.join(), /the extractive summariser was used instead: SUMMARY_FAILED.*529 overloaded/);
    assert.equal((await talk(overloaded, {}, 30).compact()).summary.attempts, 2);
  });

  test("an error is thrown if onFailure or the ladder says so", async () => {
    await assert.rejects(talk(overloaded, { onFailure: "error" }).prepare(), failsWith("SUMMARY_FAILED", /onFailure: "extractive"/));
    const session = new Session({ contextWindow: 4_000, ladder: "spec", summarize: overloaded });
    for (let n = 0; n < 60; n++) session.push([{ role: "user", content: phrases(20) }, { role: "assistant", content: phrases(20) }]);
    await assert.rejects(session.prepare(), failsWith("SUMMARY_FAILED"));
  });

  test("a failed run's report does not say that it went on without a summary", async () => {
    const session = talk(overloaded, { onFailure: "error" });
    const error = await session.prepare().catch((error) => error);
    assert.doesNotMatch(error.report.summary.fallback ?? "", /continued/);
  });
});
