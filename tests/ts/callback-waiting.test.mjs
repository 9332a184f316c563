// What may happen while a summary is awaited: abort, a second run, messages, re-entry, free.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session } from "contextfold";
import { assistant, calls, conversation, deferred, failsWith, output, settled, stateOf, user, words } from "../support/session.mjs";

/** Folds all but the last turns: these tests are not about the summary's contents. */
const ladder = [{ pass: "ephemeral" }, { pass: "trim_tool_outputs" }, { pass: "dedupe_reads" }, { pass: "summarize" }];

const GOOD = "<summary>the gist</summary>";

/** A session whose callback waits for the test; `asked` counts its calls. */
function waiting(options) {
  const answer = deferred();
  const seen = { asked: 0, signals: [] };
  const session = new Session({
    ladder, contextWindow: 3000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0 },
    ...options,
    summarize: (_, { signal }) => {
      seen.asked++;
      seen.signals.push(signal);
      return seen.asked === 1 ? answer.promise : GOOD;
    },
  });
  session.push(conversation(4));
  return { session, answer, seen };
}

describe("abort", () => {
  const reason = new Error("the user left");
  test("before the callback is called: its later rejection is not an unhandled rejection", async (t) => {
    const unhandled = [];
    const hear = (error) => unhandled.push(error);
    process.on("unhandledRejection", hear);
    t.after(() => process.off("unhandledRejection", hear));
    const failing = new Session({ ladder, contextWindow: 3000, compaction: { summarizerWindow: 100_000 }, summarize: async () => { throw new Error("502"); } });
    failing.push(conversation(4));
    const controller = new AbortController();
    const compacting = failing.compact({ signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(compacting, failsWith("ABORTED"));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(unhandled, []);
  });

  for (const way of ["compact", "checkAndCompact", "prepare", "afterToolExecution", "beforeFinalAnswer"]) {
    test(`${way}: a callback that never settles ends with ABORTED, the reason as its cause, and nothing has changed`, async () => {
      const session = new Session({ ladder, contextWindow: 3000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0 }, summarize: () => new Promise(() => {}) });
      session.push(conversation(4));
      const before = stateOf(session);
      const controller = new AbortController();
      const run = session[way]({ signal: controller.signal });
      await settled();
      controller.abort(reason);
      await assert.rejects(run, (e) => failsWith("ABORTED")(e) && e.cause === reason);
      assert.deepEqual(stateOf(session), before);
    });

    test(`${way}: a signal that has already fired is refused without calling the callback`, async () => {
      const { session, seen } = waiting();
      const before = stateOf(session);
      await assert.rejects(session[way]({ signal: AbortSignal.abort(reason) }), (e) => failsWith("ABORTED")(e) && e.cause === reason);
      assert.equal(seen.asked, 0);
      assert.deepEqual(stateOf(session), before);
    });
  }

  test("abort without a reason uses the platform's default reason", async () => {
    const { session } = waiting();
    await assert.rejects(session.compact({ signal: AbortSignal.abort() }), (e) => failsWith("ABORTED")(e) && e.cause.name === "AbortError");
  });

  test("the callback gets the caller's signal, or none if there is none", async () => {
    const { session, seen, answer } = waiting();
    const { signal } = new AbortController();
    answer.resolve(GOOD);
    await session.compact({ signal });
    assert.equal(seen.signals[0], signal);
    session.push(conversation(2, 120, "more"));
    await session.compact();
    assert.equal(seen.signals[1], undefined);
  });

  test("a callback that passes the signal on and rejects with its reason counts as aborted", async () => {
    const session = new Session({
      ladder, contextWindow: 3000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0 },
      summarize: (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    session.push(conversation(4));
    const controller = new AbortController();
    const run = session.compact({ signal: controller.signal });
    await settled();
    controller.abort(reason);
    await assert.rejects(run, (e) => failsWith("ABORTED")(e) && e.cause === reason);
  });

  test("such a callback does not turn an abort into an extractive summary", async () => {
    const session = new Session({
      ladder, contextWindow: 3000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0 },
      compaction: { onFailure: "extractive" },
      summarize: (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    session.push(conversation(4));
    const controller = new AbortController();
    const run = session.compact({ signal: controller.signal });
    await settled();
    controller.abort(reason);
    await assert.rejects(run, failsWith("ABORTED"));
    assert.equal(session.folds().length, 0);
  });

  test("an abort between two answers asks for no more", async () => {
    const controller = new AbortController();
    let asked = 0;
    const summarize = () => {
      asked++;
      controller.abort(reason); // and answers nevertheless
      return GOOD;
    };
    const session = new Session({ ladder, contextWindow: 3000, compaction: { summarizerWindow: 700, ledgerTokens: 0 }, summarize });
    session.push(conversation(8));
    const before = stateOf(session);
    await assert.rejects(session.compact({ signal: controller.signal }), (e) => failsWith("ABORTED")(e) && e.cause === reason);
    assert.equal(asked, 1);
    assert.deepEqual(stateOf(session), before);
  });

  test("an abort after the answer changes nothing", async () => {
    const { session, answer } = waiting();
    const controller = new AbortController();
    answer.resolve(GOOD);
    await session.compact({ signal: controller.signal });
    controller.abort();
    await settled();
    assert.equal(session.folds().length, 1);
  });

  test("a late answer to an aborted run is dropped, and its rejection is not unhandled", async () => {
    const { session, answer } = waiting();
    const controller = new AbortController();
    const run = session.compact({ signal: controller.signal });
    await settled();
    controller.abort();
    await assert.rejects(run, failsWith("ABORTED"));
    const before = stateOf(session);
    answer.reject(new Error("too late"));
    await settled();
    assert.deepEqual(stateOf(session), before);
    await session.compact();
    assert.equal(session.folds().length, 1, "the next run is not disturbed");
  });

  test("an aborted run leaves no listener on the signal", async () => {
    const { session, answer } = waiting();
    const { signal } = new AbortController();
    let listeners = 0;
    for (const [name, by] of [["addEventListener", 1], ["removeEventListener", -1]]) {
      const original = signal[name];
      signal[name] = (...args) => ((listeners += by), original.apply(signal, args));
    }
    answer.resolve(GOOD);
    await session.compact({ signal });
    assert.equal(listeners, 0);
  });

  for (const signal of [5, "x", {}, { aborted: true }, []])
    test(`an invalid signal is refused: ${JSON.stringify(signal)}`, async () => {
      const { session, answer } = waiting();
      answer.resolve(GOOD);
      await assert.rejects(async () => session.compact({ signal }), failsWith("INVALID_ARGUMENT", /signal/));
    });
});

describe("a second run joins the first", () => {
  test("one call of the callback, the same outcome for both", async () => {
    const { session, answer, seen } = waiting();
    const runs = [session.compact(), session.compact(), session.checkAndCompact(), session.beforeFinalAnswer()];
    await settled();
    answer.resolve(GOOD);
    const reports = await Promise.all(runs);
    assert.equal(seen.asked, 1);
    for (const report of reports) assert.deepEqual(report, reports[0]);
    assert.equal(session.folds().length, 1);
  });

  test("prepare joins, and then prepares", async () => {
    const { session, answer, seen } = waiting();
    const first = session.compact();
    const second = session.prepare();
    await settled();
    answer.resolve(GOOD);
    const { messages } = await second;
    await first;
    assert.equal(seen.asked, 1);
    assert.equal(messages[0].content, "the gist");
  });

  for (const way of ["prepare", "recover"])
    test(`${way} joins a compaction that fails, and continues by itself`, async () => {
      const { session, answer, seen } = waiting({ contextWindow: 100_000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0, maxAttempts: 1 } });
      const first = session.compact();
      const second = way === "prepare" ? session.prepare() : session.recover("prompt is too long");
      await settled();
      answer.reject(new Error("down"));
      await assert.rejects(first, failsWith("SUMMARY_FAILED"));
      assert.deepEqual((await second).messages, session.view("messages"));
      assert.equal(seen.asked, way === "prepare" ? 1 : 2, "what the provider refused has to become smaller");
    });

  test("the first summary is visible while it is being written", async () => {
    const { session, answer } = waiting();
    assert.equal(session.summaryState, null);
    const run = session.compact();
    await settled();
    const { is_summarizing, summary, summarized_until, created_at } = session.summaryState;
    assert.deepEqual({ is_summarizing, summary, summarized_until, created_at }, { is_summarizing: true, summary: "", summarized_until: 0, created_at: null });
    answer.resolve(GOOD);
    await run;
    assert.equal(session.summaryState.is_summarizing, false);
    assert.equal(session.summaryState.summary, "the gist");
  });

  test("a failure rejects every caller that joined", async () => {
    const { session, answer, seen } = waiting({ compaction: { summarizerWindow: 100_000, ledgerTokens: 0, maxAttempts: 1 } });
    const runs = [session.compact(), session.compact()];
    const cause = new Error("down");
    await settled();
    answer.reject(cause);
    for (const result of await Promise.allSettled(runs)) {
      assert.equal(result.status, "rejected");
      assert.ok(failsWith("SUMMARY_FAILED")(result.reason) && result.reason.cause === cause);
    }
    assert.equal(seen.asked, 1);
  });

  test("a caller that joins with its own signal aborts only its own wait", async () => {
    const { session, answer, seen } = waiting();
    const first = session.compact();
    const controller = new AbortController();
    const second = session.compact({ signal: controller.signal });
    await settled();
    controller.abort("enough");
    await assert.rejects(second, (e) => failsWith("ABORTED")(e) && e.cause === "enough");
    answer.resolve(GOOD);
    assert.ok(await first);
    assert.equal(seen.asked, 1);
  });

  test("when the first run is aborted, the one that joined starts over", async () => {
    const { session, seen } = waiting();
    const controller = new AbortController();
    const first = session.compact({ signal: controller.signal });
    const second = session.compact();
    await settled();
    controller.abort();
    await assert.rejects(first, failsWith("ABORTED"));
    assert.ok(await second);
    assert.equal(seen.asked, 2);
    assert.equal(session.folds().length, 1);
  });

  test("two sessions do not wait for each other", async () => {
    const { session, answer } = waiting();
    const other = new Session({ ladder, contextWindow: 3000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0 }, summarize: () => GOOD });
    other.push(conversation(4));
    const run = session.compact();
    await settled();
    await other.compact();
    assert.deepEqual([session.folds().length, other.folds().length], [0, 1]);
    answer.resolve(GOOD);
    await run;
  });
});

describe("changes made while a summary is awaited", () => {
  test("new messages come after the fold", async () => {
    const { session, answer } = waiting();
    const run = session.compact();
    await settled();
    session.push([user("meanwhile"), assistant("indeed")]);
    answer.resolve(GOOD);
    await run;
    const contents = session.view("messages").map((m) => m.content);
    assert.equal(contents[0], "the gist");
    assert.deepEqual(contents.slice(-2), ["meanwhile", "indeed"]);
    assert.equal(session.messages.length, 18);
  });

  test("the output of a running call follows its call", async () => {
    const { session, answer } = waiting();
    session.push(calls("live"));
    const run = session.compact();
    await settled();
    session.push(output("live", "late but here"));
    answer.resolve(GOOD);
    await run;
    assert.deepEqual(session.view("messages").slice(-2).map((m) => m.role), ["assistant", "tool"]);
    assert.equal(session.view("messages").at(-1).content, "late but here");
  });

  test("a message pinned meanwhile stays verbatim", async () => {
    const { session, answer } = waiting();
    const pinned = session.items()[0].id;
    const text = session.view("messages")[0].content;
    const run = session.compact();
    await settled();
    session.pin(pinned);
    answer.resolve(GOOD);
    await run;
    assert.ok(session.view("messages").some((m) => m.content === text));
  });

  test("everything can be read and has not changed yet", async () => {
    const { session, answer } = waiting();
    const before = stateOf(session);
    const run = session.compact();
    await settled();
    assert.deepEqual(stateOf(session), before);
    answer.resolve(GOOD);
    await run;
  });
});

describe("re-entry: the callback uses its own session", () => {
  const uses = {
    "reads everything": (session) => stateOf(session),
    "pushes": (session) => session.push(user(`from inside ${words(3)}`)),
    "records usage": (session) => session.recordUsage({ input_tokens: 5, output_tokens: 5 }),
    "pins": (session) => session.pin(session.items().at(-1).id),
    "listens": (session) => session.on("*", () => {})(),
    "puts an output": (session) => session.toolOutputs.put("x"),
    "collects garbage": (session) => session.toolOutputs.collectGarbage(),
    "sets the header": (session) => session.setHeader("You are terse."),
    "sets tools": (session) => session.setTools("openai-chat", []),
  };
  for (const [what, use] of Object.entries(uses))
    for (const [when, summarize] of Object.entries({
      "at once": (act) => () => (act(), GOOD),
      "later": (act) => async () => (await settled(), act(), GOOD),
      "when its text is read": (act) => () => ({ get text() { act(); return GOOD; } }),
    }))
      test(`${what}, ${when}`, async () => {
        let used = 0;
        const session = new Session({ ladder, contextWindow: 3000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0 }, summarize: summarize(() => (use(session), used++)) });
        session.push(conversation(4));
        await session.compact();
        assert.ok(used > 0);
        assert.equal(session.folds().length, 1);
        session.push(user("and on"));
        assert.equal(session.view("messages").at(-1).content, "and on");
      });

  test("flush at once is refused, because it would wait for the callback; the other waits go on", async () => {
    const refused = [];
    const options = { ladder, contextWindow: 3000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0 } };
    const session = new Session({ ...options, summarize: async () => (await session.flush().catch((error) => refused.push(error)), GOOD) });
    session.push(conversation(4));
    const compacting = session.compact();
    await session.flush();
    await compacting;
    assert.ok(refused.length === 1 && failsWith("INVALID_ARGUMENT", /deadlock.*flush/)(refused[0]));
    assert.equal(session.folds().length, 1);
    await session.flush();
  });

  for (const hook of ["modelCall", "toolExecution", "finalAnswer"])
    test(`a callback that asks its model through loop().${hook} gets the answer`, async () => {
      const options = { ladder, contextWindow: 3000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0 } };
      const session = new Session({ ...options, summarize: () => session.loop()[hook](async () => GOOD) });
      session.push(conversation(4));
      await session.prepare();
      assert.equal(session.folds().length, 1);
    });

  test("a callback that waits for its own compaction: an AbortSignal ends it, and nothing has changed", async () => {
    const controller = new AbortController();
    const session = new Session({ ladder, contextWindow: 3000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0 }, summarize: async () => (await null, await session.compact(), GOOD) });
    session.push(conversation(4));
    const before = stateOf(session);
    const run = session.compact({ signal: controller.signal });
    await settled();
    controller.abort();
    await assert.rejects(run, failsWith("ABORTED"));
    assert.deepEqual(stateOf(session), before);
  });
});

describe("free", () => {
  test("a waiting run ends with FREED when its answer comes", async () => {
    const { session, answer } = waiting();
    const runs = [session.compact(), session.prepare()];
    await settled();
    session.free();
    answer.resolve(GOOD);
    for (const run of runs) await assert.rejects(run, failsWith("FREED"));
  });

  test("a callback that never settles does not keep a freed session's caller waiting", async () => {
    const session = new Session({ ladder, contextWindow: 3000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0 }, summarize: () => new Promise(() => {}) });
    session.push(conversation(4));
    const run = session.compact();
    await settled();
    session.free();
    const outcome = await Promise.race([run.catch((e) => e.code), settled().then(settled).then(() => "still waiting")]);
    assert.equal(outcome, "FREED");
  });

  test("the callback frees its own session", async () => {
    for (const summarize of [(session) => (session().free(), GOOD), async (session) => (await settled(), session().free(), GOOD)]) {
      const session = new Session({ ladder, contextWindow: 3000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0 }, summarize: () => summarize(() => session) });
      session.push(conversation(4));
      await assert.rejects(session.compact(), failsWith("FREED"));
    }
  });

  test("the callback frees its session and throws", async () => {
    const session = new Session({ ladder, contextWindow: 3000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0 }, summarize: () => { session.free(); throw new Error("x"); } });
    session.push(conversation(4));
    await assert.rejects(session.compact(), failsWith("FREED"));
  });

  test("a run started and freed in the same tick", async () => {
    const { session, seen } = waiting();
    const run = session.compact();
    session.free();
    await assert.rejects(run, failsWith("FREED"));
    assert.equal(seen.asked, 0);
  });
});
