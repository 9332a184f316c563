// When a compaction runs: a nearly due one early if the prompt cache has expired, a due one up to the limit later while the cache is warm.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session } from "contextfold";
import { assistant, failsWith, user, words } from "../support/session.mjs";

const MINUTES = 60_000;

/** A session whose view takes this share of its threshold (8,000 of 10,000 tokens), already sent once. */
async function filled(share, options = {}) {
  const summaries = [];
  const session = new Session({
    contextWindow: 10_000, safetyMargin: 0, compaction: { ledgerTokens: 0 },
    ladder: [{ pass: "summarize" }],
    summarize: (request) => (summaries.push(request), "<summary>the gist</summary>"),
    ...options,
  });
  const events = [];
  session.on("compaction_due", (event) => events.push(event));
  for (let n = 0; session.tokens < 8_000 * share; n++) {
    session.push([user(words(20, n)), assistant(words(20, n + 500))]);
    if (session.tokens < 8_000 * (share - 0.02)) await session.prepare();
  }
  return { session, summaries, events };
}

test("after five idle minutes a fold that is nearly due runs now, and costs the cache nothing", async () => {
  const { session, summaries } = await filled(0.93);
  await session.prepare();
  assert.equal(summaries.length, 0, "at 93 % of the threshold nothing is due");
  await session.prepare({ idleMs: 4 * MINUTES });
  assert.equal(summaries.length, 0, "nor while the cache is warm");
  const { report } = await session.prepare({ idleMs: 6 * MINUTES });
  assert.equal(summaries.length, 1);
  const { cache } = report.decisions.find((decision) => decision.pass === "summarize");
  assert.deepEqual([cache.reread_tokens, cache.cost], [0, 0]);
  assert.ok(cache.saved_per_call > 1_000 && cache.saves > 0);
});

test("a fold that is not nearly due does not run, however long the session was idle", async () => {
  const { session, summaries } = await filled(0.8);
  await session.prepare({ idleMs: 600 * MINUTES });
  assert.equal(summaries.length, 0);
});

test("while the cache is warm a due fold waits up to the limit", async () => {
  const { session, summaries } = await filled(1.02);
  await session.prepare({ idleMs: 1_000 });
  assert.equal(summaries.length, 0);
  while (session.tokens <= 10_000) session.push([user(words(20, session.tokens)), assistant(words(20, 3))]);
  const { report } = await session.prepare({ idleMs: 1_000 });
  assert.equal(session.folds().length, 1, "no view is over its limit");
  assert.ok(report.tokens_after <= report.limit);
  const now = await filled(1.02);
  await now.session.prepare();
  assert.equal(now.summaries.length, 1, "without `idleMs` it comes at the threshold");
});

test("the cache's lifetime is an option", async () => {
  const { session, summaries } = await filled(0.93, { promptCache: { lifeMs: 60 * MINUTES } });
  await session.prepare({ idleMs: 6 * MINUTES });
  assert.equal(summaries.length, 0);
  session.setOptions({ promptCache: { lifeMs: MINUTES } });
  await session.prepare({ idleMs: 6 * MINUTES });
  assert.equal(summaries.length, 1);
});

test("compaction_due comes once, before the compaction, with the remaining tokens", async () => {
  const { session, events, summaries } = await filled(0.93);
  await session.prepare();
  assert.equal(events.length, 1);
  assert.deepEqual(Object.keys(events[0]), ["event", "items", "detail", "tokens", "left"]);
  assert.equal(events[0].left, 8_000 - events[0].tokens);
  session.push(user("more"));
  await session.prepare();
  assert.deepEqual([events.length, summaries.length], [1, 0]);
  while (session.tokens < 8_000) session.push([user(words(20, session.tokens)), assistant(words(20, 3))]);
  await session.prepare();
  assert.deepEqual([events.length, summaries.length], [1, 1]);
});

test("bad values are refused", async () => {
  const { session } = await filled(0.1);
  for (const idleMs of [-1, 1.5, "5", true, {}]) await assert.rejects(session.prepare({ idleMs }), failsWith("INVALID_ARGUMENT", /idleMs/));
});
