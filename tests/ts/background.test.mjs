// Summaries written in the background while the conversation goes on.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Session } from "contextfold";
import { dialogues, missing } from "../support/data.mjs";
import { assistant, calls, conversation, deferred, failsWith, output, settled, stateOf, user, words } from "../support/session.mjs";

/** Folds all but the last turns: these tests are about how a summary is requested, checked and applied, not about its contents. */
const ladder = [{ pass: "ephemeral" }, { pass: "trim_tool_outputs" }, { pass: "dedupe_reads" }, { pass: "summarize" }];

const GOOD = "<summary>the gist</summary>";
const DOWN = new Error("down");

/** A session whose callback answers when the test says so: `asked` holds one deferred promise per request. */
function talking({ compaction, ...options } = {}) {
  const asked = [];
  const events = [];
  const session = new Session({
    ladder, contextWindow: 8000,
    safetyMargin: 0,
    compaction: { summarizerWindow: 100_000, ledgerTokens: 0, background: { atRatio: 0.6 }, maxAttempts: 1, ...compaction },
    ...options,
    summarize: (request, { signal }) => {
      const answer = Object.assign(deferred(), { request, signal });
      asked.push(answer);
      return answer.promise;
    },
  });
  session.on("*", (e) => e.event.startsWith("compaction") && events.push(e.event));
  return { session, asked, events };
}

/** The same, after one request: four turns are above the background mark and below the threshold. */
async function asking(options) {
  const talk = talking(options);
  talk.session.sync("messages", conversation(4));
  await settled();
  assert.equal(talk.asked.length, 1, `at ${talk.session.tokens} tokens`);
  assert.equal(talk.session.shouldCompact(), false);
  return talk;
}

describe("when it starts", () => {
  test("starts at the mark, after push has returned, not before, and only once", async () => {
    const { session, asked, events } = talking();
    session.push(conversation(3));
    await settled();
    assert.equal(asked.length, 0, "below the mark");
    session.push(conversation(1, 120, "more"));
    assert.equal(asked.length, 0, "push does not wait for the callback");
    await settled();
    session.push(user("and on"));
    session.recordUsage({ input_tokens: 6000, output_tokens: 5 });
    await settled();
    assert.equal(asked.length, 1);
    assert.deepEqual(events, ["compaction_started"]);
    assert.equal(asked[0].request.reason, "threshold");
  });

  const beginnings = {
    recordUsage: (session) => session.recordUsage({ input_tokens: 6000, output_tokens: 5 }),
    prepare: (session) => {
      session.setTools("openai-chat", [{ type: "function", function: { name: "f", description: words(300), parameters: {} } }]);
      return session.prepare();
    },
    sync: (session) => session.sync("messages", [...conversation(3), ...conversation(1, 120, "more")]),
  };
  for (const [what, act] of Object.entries(beginnings))
    test(`${what} starts it too`, async () => {
      const { session, asked } = talking();
      session.sync("messages", conversation(3));
      await settled();
      assert.equal(asked.length, 0);
      await act(session);
      await settled();
      assert.equal(asked.length, 1);
    });

  test("atRatio sets the mark (default 7/8 of the threshold); an invalid one is refused by name", async () => {
    const { session, asked } = talking({ compaction: { background: { atRatio: 0.3 } } });
    session.push(conversation(2));
    await settled();
    assert.equal(asked.length, 1);
    const byDefault = talking({ compaction: { background: true } });
    byDefault.session.push(user("hello"));
    for (const [tokens, questions] of [[5599, 0], [5600, 1]]) {
      byDefault.session.push(conversation(1, 30, `of ${tokens}`));
      byDefault.session.recordUsage({ input_tokens: tokens, output_tokens: 0 });
      await settled();
      assert.equal(byDefault.asked.length, questions, `${tokens} of 8000 tokens`);
    }
    const bad = [[{ atRatio: 0.8 }, "atRatio"], [{ atRatio: 0.9 }, "atRatio"], [{ atRatio: 0 }, "atRatio"], [{ atRatio: "x" }, "atRatio"], [{ ratio: 0.5 }, "ratio"], [5, "background"], ["on", "background"]];
    for (const [background, key] of bad)
      assert.throws(() => new Session({ compaction: { background } }), failsWith("INVALID_CONFIG", new RegExp(key)), JSON.stringify(background));
    new Session({ compaction: { background: {}, thresholdRatio: 0.3 } });
  });

  test("off by default, if enabled or auto is off, or if there is no summarizer to ask", async () => {
    for (const compaction of [{ background: false }, { background: undefined }, { enabled: false }, { auto: false }]) {
      const { session, asked } = talking({ compaction });
      session.push(conversation(4));
      await settled();
      assert.equal(asked.length, 0);
    }
    const alone = new Session({ ladder, contextWindow: 8000, compaction: { background: { atRatio: 0.6 } } });
    alone.push(conversation(4));
    await settled();
    assert.equal(alone.folds().length, 0);
  });
});

describe("the answer", () => {
  test("is applied by the next prepare, and the conversation goes on meanwhile", async () => {
    const { session, asked, events } = await asking();
    const early = await session.prepare();
    const before = structuredClone(early.messages);
    session.push([calls("live"), output("live", "meanwhile")]);
    const view = stateOf(session);
    asked[0].resolve({ text: GOOD, usage: { input_tokens: 5000, output_tokens: 10 } });
    await settled();
    assert.deepEqual(stateOf(session), view, "nothing changes under a caller");
    assert.deepEqual(events, ["compaction_started"]);
    const { messages, report } = await session.prepare();
    assert.deepEqual(events, ["compaction_started", "compaction_finished"]);
    assert.equal(messages[0].content, "the gist");
    assert.equal(messages.at(-1).content, "meanwhile");
    assert.deepEqual(early.messages, before, "what was handed out never changes");
    assert.equal(report.summary.attempts, 1);
    assert.equal(report.summary.usage.input_tokens, 5000);
    assert.equal(report.tokens_before, view.tokens);
    assert.ok(report.decisions.some((d) => d.pass === "summarize" && /background/.test(d.why)));
    assert.equal(asked.length, 1);
    assert.equal((await session.prepare()).report.decisions.length, 0);
  });

  for (const way of ["compact", "checkAndCompact", "afterToolExecution", "beforeFinalAnswer"])
    test(`is applied by ${way}`, async () => {
      const { session, asked } = await asking();
      asked[0].resolve(GOOD);
      await session.flush();
      const report = await session[way]();
      assert.equal(session.folds().length, 1);
      assert.ok(report.decisions.some((d) => /background/.test(d.why)));
      assert.equal(asked.length, 1);
    });

  test("an unusable answer is asked for again, as in any other run", async () => {
    const { session, asked } = await asking({ compaction: { maxAttempts: 3 } });
    asked[0].resolve("");
    await settled();
    asked[1].reject(DOWN);
    await settled();
    asked[2].resolve(GOOD);
    await session.flush();
    assert.deepEqual(asked.map((a) => a.request.reason), ["threshold", "retry", "retry"]);
    assert.equal((await session.prepare()).report.summary.attempts, 3);
  });

  test("the request is made smaller if the summariser says that it is too long", async () => {
    const { session, asked } = await asking();
    asked[0].reject(new Error("prompt is too long: 9000 tokens > 8000 maximum"));
    await settled();
    assert.equal(asked.length, 2);
    assert.ok(asked[1].request.messages.length < asked[0].request.messages.length);
    asked[1].resolve(GOOD);
    await session.flush();
    await session.prepare();
    assert.equal(session.folds().length, 1);
  });
});

describe("a failure", () => {
  const failures = {
    "a rejection": (a) => a.reject(DOWN),
    "nonsense": (a) => a.resolve(7),
    "an empty summary": (a) => a.resolve(""),
    "a summary that is too large": (a) => a.resolve(`<summary>${words(9000)}</summary>`),
  };
  for (const [what, fail] of Object.entries(failures))
    test(`changes nothing and is reported by an event: ${what}`, async () => {
      const { session, asked, events } = await asking({ compaction: { onFailure: "extractive" } });
      const [before, report] = [stateOf(session), session.report];
      fail(asked[0]);
      await session.flush();
      assert.deepEqual([stateOf(session), session.report], [before, report]);
      assert.deepEqual(events, ["compaction_started", "compaction_failed"]);
    });

  test("is not retried at every push: after 8 new messages, then 16 more, then 32", async () => {
    const { session, asked } = await asking();
    const after = [];
    for (let pushed = 1; pushed <= 60; pushed++) {
      asked.at(-1).reject(DOWN);
      await session.flush();
      const before = asked.length;
      session.push(pushed % 2 ? user("hm") : assistant("so"));
      await settled();
      if (asked.length > before) after.push(pushed);
    }
    assert.deepEqual(after, [8, 24, 56]);
  });

  test("after a failure, a run that is due asks for its own summary", async () => {
    const { session, asked } = await asking();
    asked[0].reject(DOWN);
    await session.flush();
    const run = session.compact();
    await settled();
    asked[1].resolve(GOOD);
    await run;
    assert.equal(session.folds().length, 1);
  });
});

describe("who waits for the summary", () => {
  test("a prepare whose view fits does not wait, even above the threshold, and does not ask again", async () => {
    const { session, asked } = await asking();
    session.push(conversation(1, 80, "more"));
    assert.ok(session.shouldCompact() && session.tokens <= session.limit, `at ${session.tokens}`);
    await session.prepare();
    assert.equal(asked.length, 1);
    asked[0].resolve(GOOD);
    await session.flush();
    await session.prepare();
    assert.equal(session.folds().length, 1);
  });

  const joining = {
    "a prepare that must fit": (session) => (session.push(conversation(1, 240, "more")), session.prepare()),
    "compact": (session) => session.compact(),
    "checkAndCompact, where it is due": (session) => (session.push(conversation(1, 80, "more")), session.checkAndCompact()),
    "recover, from a refusal": (session) => session.recover("prompt is too long: 9000 tokens > 8000 maximum"),
  };
  for (const [way, act] of Object.entries(joining))
    test(`${way} joins: one request, one fold`, async () => {
      const { session, asked } = await asking();
      let done = false;
      const run = act(session).then(() => (done = true));
      await settled();
      assert.equal(done, false);
      asked[0].resolve(GOOD);
      await run;
      assert.equal(asked.length, 1);
      assert.equal(session.folds().length, 1);
      assert.ok(session.tokens <= session.limit);
    });

  test("calls that need no summary do not wait: checkAndCompact below the threshold, recover from an unrelated error", async () => {
    const { session } = await asking();
    assert.equal(await session.checkAndCompact(), null);
    assert.equal(await session.recover(new Error("invalid api key")), null);
  });

  test("a prepare that joined a failing run continues by itself", async () => {
    const { session, asked } = await asking();
    session.push(conversation(2, 150, "more"));
    const run = session.prepare();
    await settled();
    asked[0].reject(DOWN);
    await settled();
    await settled();
    assert.equal(asked.length, 2);
    asked[1].resolve(GOOD);
    await run;
    assert.ok(session.tokens <= session.limit);
  });

  test("a caller that joins with its own signal aborts only its own wait", async () => {
    const { session, asked } = await asking();
    const controller = new AbortController();
    const run = session.compact({ signal: controller.signal });
    await settled();
    controller.abort("enough");
    await assert.rejects(run, (e) => failsWith("ABORTED")(e) && e.cause === "enough");
    asked[0].resolve(GOOD);
    await session.flush();
    await session.prepare();
    assert.equal(session.folds().length, 1);
  });

  test("flush waits only for what is under way", async () => {
    const { session, asked } = await asking();
    let done = false;
    const flushed = session.flush().then((value) => ((done = true), value));
    await settled();
    assert.equal(done, false);
    asked[0].reject(DOWN);
    assert.equal(await flushed, undefined);
    await new Session().flush();
  });

  test("a signal ends flush's wait and nothing else", async () => {
    const { session, asked } = await asking();
    const controller = new AbortController();
    const flushed = session.flush({ signal: controller.signal });
    controller.abort();
    await assert.rejects(flushed, failsWith("ABORTED"));
    await assert.rejects(session.flush({ signal: AbortSignal.abort() }), failsWith("ABORTED"));
    for (const wrong of [5, [], { timeout: 5 }, { signal: 5 }]) await assert.rejects(session.flush(wrong), failsWith("INVALID_ARGUMENT"));
    asked[0].resolve(GOOD);
    await session.flush({ signal: new AbortController().signal });
    await session.prepare();
    assert.equal(session.folds().length, 1);
  });
});

describe("changes made meanwhile", () => {
  const stands = {
    "messages": (session) => session.push(user("meanwhile")),
    "another header": (session) => session.setHeader("You are terse."),
    "other tools": (session) => session.setTools("openai-chat", []),
    "the end was rewritten": (session, list) => session.sync("messages", [...list.slice(0, -1), assistant("another end")]),
    "a pin on what stays": (session) => session.pin(session.items().at(-1).id),
    "usage": (session) => session.recordUsage({ input_tokens: 10, output_tokens: 1 }),
  };
  for (const [what, act] of Object.entries(stands))
    test(`${what}: the summary still holds`, async () => {
      const { session, asked } = talking();
      const list = conversation(4);
      session.sync("messages", list);
      await settled();
      act(session, list);
      asked[0].resolve(GOOD);
      await session.flush();
      await session.prepare();
      assert.equal(session.folds().length, 1);
      assert.equal(asked.length, 1);
    });

  for (const when of ["before the answer", "after it"]) {
    test(`a part of it is pinned, ${when}: that part stays verbatim, and the rest is folded`, async () => {
      const { session, asked } = await asking();
      const [id, content] = [session.items()[0].id, session.view("messages")[0].content];
      if (when === "before the answer") session.pin(id);
      asked[0].resolve(GOOD);
      await session.flush();
      if (when === "after it") session.pin(id);
      const { messages } = await session.prepare();
      assert.equal(session.folds().length, 1);
      assert.ok(messages.some((m) => m.content === content));
    });

    test(`the messages it covers were rewritten, ${when}: it is dropped, and an event says so`, async () => {
      const { session, asked, events } = await asking();
      const another = [user("another past"), ...conversation(2, 100, "new")];
      if (when === "before the answer") session.sync("messages", another);
      asked[0].resolve(GOOD);
      await session.flush();
      if (when === "after it") session.sync("messages", another);
      const { messages, report } = await session.prepare();
      assert.equal(session.folds().length, 0);
      assert.equal(messages[0].content, "another past");
      assert.deepEqual(events, ["compaction_started", "compaction_failed"]);
      if (when === "after it") assert.ok(report.decisions.some((d) => /dropped: STALE_PLAN/.test(d.why)));
    });
  }

  test("an applied plan takes precedence over it", async () => {
    const { session, asked, events } = await asking();
    const run = session.plan().apply();
    await settled();
    asked[1].resolve("<summary>as planned</summary>");
    await run;
    asked[0].resolve(GOOD);
    await session.flush();
    await session.prepare();
    assert.deepEqual(session.folds().map((f) => f.summary), ["as planned"]);
    assert.ok(events.includes("compaction_failed"));
  });
});

describe("the end", () => {
  for (const end of ["resolve", "reject"])
    test(`free: the callback's signal fires, and its late answer is ignored (${end})`, async () => {
      const { session, asked } = await asking();
      const { signal } = asked[0];
      assert.equal(signal.aborted, false);
      const flushed = session.flush();
      session.free();
      assert.equal(signal.aborted, true);
      asked[0][end](end === "resolve" ? GOOD : DOWN);
      await assert.rejects(flushed, failsWith("FREED"));
      await settled();
    });

  test("free before it has started: the callback is never called", async () => {
    const { session, asked } = talking();
    session.push(conversation(4));
    session.free();
    await settled();
    assert.equal(asked.length, 0);
  });

  const acts = { "frees the session that asks it": (s) => s.free(), "pushes to it": (s) => s.push(user("from inside")), "compacts it, without waiting": (s) => void s.compact().catch(() => {}) };
  for (const [what, act] of Object.entries(acts))
    test(`the callback ${what}`, async () => {
      let asked = 0;
      const session = new Session({
        ladder, contextWindow: 8000,
        compaction: { background: { atRatio: 0.6 } },
        safetyMargin: 0,
        summarize: async () => (asked++, act(session), GOOD),
      });
      session.push(conversation(4));
      for (let i = 0; i < 5; i++) await settled();
      assert.equal(asked, 1);
    });

  test("a process ends even with one under way", () => {
    const script = `
      import { Session } from "contextfold";
      let asked = 0;
      const session = new Session({ ladder: ${JSON.stringify(ladder)}, contextWindow: 1000, safetyMargin: 0, compaction: { background: { atRatio: 0.6 } }, summarize: () => (asked++, new Promise(() => {})) });
      session.push(Array.from({ length: 6 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: "words ".repeat(90) })));
      setImmediate(() => console.log("asked", asked));`;
    const cwd = fileURLToPath(new URL("../../", import.meta.url));
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd, encoding: "utf8" });
    assert.equal(printed.trim(), "asked 1");
  });
});

if (missing) console.log(`recorded data: ${missing}; skipped`);

test("recorded conversations: whenever the answer comes, nothing is lost and every view fits", { skip: missing }, async () => {
  let folds = 0;
  for (const { id, items } of dialogues("chat").filter((d) => d.items.length > 16).slice(0, 8)) {
    const sized = new Session();
    sized.pushFrom("openai-chat", items);
    for (const delay of [0, 1, 3, 7, 50]) {
      const { session, asked } = talking({ contextWindow: Math.round(sized.tokens * 0.6) });
      const due = [];
      const answer = async (at) => {
        while (due.length < asked.length) due.push(at + delay);
        asked.forEach((a, i) => due[i] <= at && a.resolve(GOOD));
        await settled();
      };
      for (const [at, item] of items.entries()) {
        session.pushFrom("openai-chat", [item]);
        await settled();
        await answer(at);
        if (item.role !== "user") continue;
        let prepared;
        session.prepare().then((p) => (prepared = p), (error) => (prepared = error));
        // A call that has to wait gets its answer at once.
        for (let i = 0; i < 20 && !prepared; i++) await (await settled(), answer(i < 2 ? at : Infinity));
        assert.ok(prepared, `${id} ${delay}: it ends`);
        if (!(prepared instanceof Error)) assert.ok(prepared.report.tokens_after <= session.limit, `${id} ${delay}`);
      }
      assert.equal(session.messages.length, sized.messages.length, `${id} ${delay}`);
      folds += session.folds().length;
    }
  }
  assert.ok(folds > 10, `${folds} folds`);
});
