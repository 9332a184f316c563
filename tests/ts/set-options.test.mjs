// `setOptions`: options that change while a session goes on.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session } from "contextfold";
import { assistant, call, conversation, deferred, failsWith, output, settled, stateOf, user, words } from "../support/session.mjs";

const filled = (options, turns = 6) => {
  const session = new Session(options);
  session.push([{ role: "system", content: "You are terse." }, ...conversation(turns)]);
  return session;
};

describe("a new model takes effect at once", () => {
  test("limit, window and threshold", () => {
    const session = filled({ model: "gpt-5" });
    session.setOptions({ model: "gpt-4o" });
    assert.deepEqual([session.window, session.limit, session.threshold], [128_000, 128_000, 102_400]);
    session.setOptions({ reservedOutputTokens: 28_000 });
    assert.equal(session.limit, 100_000);
    session.setOptions({ compaction: { thresholdRatio: 0.5 } });
    assert.equal(session.threshold, 50_000);
  });

  test("a smaller window makes a compaction due, and the next view fits", async () => {
    const session = filled({ contextWindow: 100_000 });
    assert.equal(session.shouldCompact(), false);
    await session.prepare();
    session.setOptions({ contextWindow: 2000 });
    assert.equal(session.shouldCompact(), true);
    const { report } = await session.prepare();
    assert.equal(report.limit, 2000);
    assert.ok(session.tokens <= 2000);
  });

  test("a correction learnt from usage belongs to its model", async () => {
    const session = filled({ model: "gpt-5", tokenizer: "estimate" }, 8);
    const learn = async (ratio) => {
      await session.prepare();
      session.recordUsage({ input_tokens: Math.round(session.tokens * ratio), output_tokens: 1 });
      return (await session.prepare()).report.counter.calibration;
    };
    const near = (a, b) => assert.ok(Math.abs(a - b) < 0.01, `${a} is not ${b}`);
    near(await learn(1.5), 1.5);
    session.setOptions({ model: "gpt-4o" });
    near((await session.prepare()).report.counter.calibration, 1);
    near(await learn(1.2), 1.2);
    session.setOptions({ model: "gpt-5" });
    near((await session.prepare()).report.counter.calibration, 1.5);
    session.setOptions({ calibrate: false });
    near((await session.prepare()).report.counter.calibration, 1);
  });

  test("usage of the old model no longer counts for the view", () => {
    const session = filled({ contextWindow: 30_000 });
    session.recordUsage({ input_tokens: 29_000, output_tokens: 1 });
    assert.equal(session.shouldCompact(), true);
    session.setOptions({ model: "gpt-5" });
    assert.equal(session.shouldCompact(), false);
  });

  test("images and tools are counted by the new model's rules", () => {
    const session = new Session({ model: "gpt-5" });
    session.push(user([{ type: "image", url: "https://x/y.png", width: 1000, height: 1000 }]));
    session.setTools("anthropic", [{ name: "read", input_schema: { type: "object" } }]);
    const before = session.tokens;
    session.setOptions({ model: "claude-sonnet-4-5" });
    const fresh = new Session({ model: "claude-sonnet-4-5" });
    fresh.push(user([{ type: "image", url: "https://x/y.png", width: 1000, height: 1000 }]));
    fresh.setTools("anthropic", [{ name: "read", input_schema: { type: "object" } }]);
    assert.notEqual(session.tokens, before);
    assert.equal(session.tokens, fresh.tokens);
  });

  test("thinking after an edited header is removed if the new options bind it", () => {
    const session = new Session();
    session.pushFrom("anthropic", [
      { role: "user", content: "Why?" },
      { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }, { type: "text", text: "So." }] },
    ]);
    session.setHeader("You are terse.");
    const thinks = () => JSON.stringify(session.view("anthropic")).includes("thinking");
    assert.equal(thinks(), true);
    session.setOptions({ boundThinking: "drop" });
    assert.equal(thinks(), false);
  });
});

describe("a new tokenizer counts everything again", () => {
  test("history, view, tools and context parts", async () => {
    const parts = (session) => {
      session.setTools("openai-chat", [{ type: "function", function: { name: "read", description: words(20) } }]);
      session.setContext({ memory: ["a fact"], skills: [{ name: "pdf" }] });
      return session;
    };
    const session = parts(filled({ contextWindow: 100_000 }));
    await session.prepare();
    session.setOptions({ tokenizer: "bytes/4" });
    const fresh = parts(filled({ contextWindow: 100_000, tokenizer: "bytes/4" }));
    assert.equal(session.tokens, fresh.tokens);
    assert.deepEqual(session.items().map((i) => i.tokens), fresh.items().map((i) => i.tokens));
    const { report } = await session.prepare();
    assert.equal(report.parts.reduce((sum, p) => sum + p.tokens, 0), session.tokens);
    assert.deepEqual([report.counter.method, report.stable_prefix_tokens], ["bytes/4", session.tokens]);
  });

  test("shortened messages and their originals are counted again too", async () => {
    const session = filled({ contextWindow: 2500, ladder: [{ pass: "prune_tool_outputs" }, { pass: "shrink_turns" }] }, 8);
    await session.prepare();
    session.setOptions({ tokenizer: (text) => text.length, contextWindow: 20_000 });
    const counted = session.items().reduce((sum, item) => sum + item.tokens, 0);
    assert.equal(session.tokens, counted);
    const { report } = await session.prepare();
    assert.equal(report.parts.reduce((sum, p) => sum + p.tokens, 0), session.tokens);
  });

  test("a tokenizer callback may read the session; if it throws, nothing changes", () => {
    const session = filled();
    const seen = [];
    session.setOptions({ tokenizer: (text) => (seen.push(session.tokens), text.length) });
    assert.ok(seen.length > 0);
    const before = stateOf(session);
    assert.throws(() => session.setOptions({ contextWindow: 500, tokenizer: () => { throw new Error("no"); } }), failsWith("INVALID_ARGUMENT", /tokenizer/));
    assert.throws(() => session.setOptions({ tokenizer: (text) => (session.push(user("x")), text.length) }), failsWith("INVALID_ARGUMENT", /was used/));
    assert.deepEqual([stateOf(session).tokens > before.tokens, session.window], [true, null], "but for the message that it pushed");
    session.setOptions({ tokenizer: "estimate" });
    session.push(user("counted by the estimate"));
  });
});

describe("named options change, the others stay", () => {
  test("nested options, key by key", () => {
    const session = filled({ contextWindow: 10_000, compaction: { thresholdRatio: 0.5, retainLastTurns: 2 }, ladder: "steps-design" });
    session.setOptions({ compaction: { lowRatio: 0.3 } });
    assert.equal(session.threshold, 5000);
    assert.equal(session.ladder.find((p) => p.pass === "summarize").keepSteps, 2);
    session.setOptions({});
    session.setOptions({ model: undefined });
    assert.equal(session.threshold, 5000);
  });

  test("the ladder, the callback, the clock, the redaction", async () => {
    const session = filled({ contextWindow: 3000, summarize: () => { throw new Error("old"); } }, 8);
    const seen = [];
    session.setOptions({
      ladder: "rolling",
      summarize: (request) => (seen.push(JSON.stringify(request.messages)), "<summary>short</summary>"),
      now: () => 7,
      compaction: { redact: (text) => text.replaceAll("question", "[x]") },
    });
    assert.equal(session.ladder[1].pass, "rolling_summary");
    await session.compact();
    assert.equal(session.summaryState.created_at, 7);
    assert.ok(seen[0].includes("[x]") && !seen[0].includes("question"));
  });

  test("a smaller tool output budget applies at once", () => {
    const session = filled({ contextWindow: 100_000 });
    session.setOptions({ toolOutputCache: { contextBudgetTokens: 600 } });
    assert.ok(session.items().some((i) => i.form === "placeholder"));
    session.setOptions({ toolOutputCache: { maxLineLength: 10 } });
    session.push([assistant(null, { tool_calls: [call("long")] }), output("long", words(30))]);
    assert.equal(session.items().at(-1).form, "cut");
  });

  test("a limit learnt from a provider holds until the limit is set", async () => {
    const session = filled({ contextWindow: 100_000 });
    await session.recover(new Error("prompt is too long: 120000 tokens > 90000 maximum"));
    const taught = session.limit;
    assert.ok(taught < 100_000);
    session.setOptions({ compaction: { auto: false } });
    assert.equal(session.limit, taught);
    session.setOptions({ contextWindow: 50_000 });
    assert.equal(session.limit, 50_000);
  });
});

describe("bad options change nothing", () => {
  const wrong = [
    [{ contextWindow: 0 }, "INVALID_CONFIG", /`contextWindow`/],
    [{ model: "no-such-model" }, "UNKNOWN_MODEL", /no-such-model/],
    [{ contextWindow: 500, ladder: "nope" }, "INVALID_CONFIG", /`ladder`/],
    [{ compaction: { thresholdRatio: 2 } }, "INVALID_CONFIG", /`compaction.thresholdRatio`/],
    [{ compaction: { lowRatio: 0.7, thresholdRatio: 0.6 } }, "INVALID_CONFIG", /`compaction.lowRatio`/],
    [{ compaction: { redact: 1 } }, "INVALID_CONFIG", /`compaction.redact`/],
    [{ tokenizer: "gpt" }, "INVALID_CONFIG", /`tokenizer`/],
    [{ summarize: {} }, "INVALID_CONFIG", /`summarize`/],
    [{ contextWindw: 5 }, "INVALID_CONFIG", /`contextWindw`.*did you mean/],
    [{ store: {} }, "INVALID_CONFIG", /`store`/],
    [null, "INVALID_CONFIG", /./],
    [[], "INVALID_CONFIG", /./],
    [5, "INVALID_CONFIG", /./],
  ];
  for (const [options, code, why] of wrong)
    test(JSON.stringify(options), () => {
      const session = filled({ contextWindow: 10_000 });
      const before = [stateOf(session), session.limit, session.ladder];
      assert.throws(() => session.setOptions(options), failsWith(code, why));
      assert.deepEqual([stateOf(session), session.limit, session.ladder], before);
    });
});

describe("while a summary is awaited", () => {
  const waiting = async (options) => {
    const answer = deferred();
    const session = filled({ contextWindow: 2000, safetyMargin: 0, summarize: () => answer.promise, ...options }, 8);
    const prepared = session.prepare();
    await settled();
    return { answer, session, prepared };
  };

  test("the run goes on under the new limit", async () => {
    const { answer, session, prepared } = await waiting();
    session.setOptions({ contextWindow: 1500 });
    answer.resolve("<summary>They talked.</summary>");
    const { report } = await prepared;
    assert.equal(report.limit, 1500);
    assert.ok(session.tokens <= 1500);
  });

  test("the same with a new tokenizer", async () => {
    const { answer, session, prepared } = await waiting();
    session.setOptions({ tokenizer: "bytes/4" });
    answer.resolve("<summary>They talked.</summary>");
    const { report } = await prepared;
    assert.equal(report.counter.method, "bytes/4");
    assert.equal(report.parts.reduce((sum, p) => sum + p.tokens, 0), session.tokens);
  });

  test("under another ladder the run is stale, and nothing was folded", async () => {
    const { answer, session, prepared } = await waiting();
    session.setOptions({ ladder: "ladder" });
    const before = stateOf(session);
    answer.resolve("<summary>They talked.</summary>");
    await assert.rejects(prepared, failsWith("STALE_PLAN"));
    assert.deepEqual(stateOf(session), before);
    await session.prepare();
    assert.ok(session.tokens <= 2000);
  });
});

test("an empty header counts as none", () => {
  const session = filled();
  session.setHeader("");
  assert.equal(session.view("messages")[0].role, "user");
  assert.equal(session.view("anthropic").system, undefined);
  session.setHeader("Be brief.");
  session.setHeader(" \n");
  assert.equal(session.view("messages")[0].role, "user");
});

test("bound thinking is removed if the tools it came after change", () => {
  const session = new Session({ boundThinking: "drop" });
  session.pushFrom("anthropic", [
    { role: "user", content: "Why?" },
    { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }, { type: "text", text: "So." }] },
  ]);
  const thinks = () => JSON.stringify(session.view("anthropic")).includes("thinking");
  const tools = [{ name: "read", input_schema: {} }];
  assert.equal(thinks(), true);
  session.setTools("anthropic", []);
  assert.equal(thinks(), true, "the same tools");
  session.setTools("anthropic", tools);
  assert.equal(thinks(), false);
});

describe("an explicit window", () => {
  const larger = /`contextWindow` is 400000 tokens, but the known window of model "gpt-4" is 8192/;
  const ways = {
    setOptions: (session, options) => (session.setOptions(options), session),
    restore: (session, options) => Session.restore(session.snapshot(), options),
    fork: (session, options) => session.fork(session.items().at(-1).id, options),
  };
  for (const [name, change] of Object.entries(ways))
    test(`${name}: also holds for another model, and the report says so; null removes it`, async () => {
      const session = change(filled({ contextWindow: 400_000 }), { model: "gpt-4" });
      assert.equal(session.window, 400_000);
      const { report } = await session.prepare();
      assert.match(report.notices.join(), larger);
      const freed = change(session, { contextWindow: null });
      assert.deepEqual([freed.window, freed.limit], [8192, 8192]);
      assert.equal((await freed.prepare()).report.notices, undefined);
      assert.equal(Session.restore(freed.snapshot()).window, 8192);
    });

  test("both together; without a model there is then no limit; the constructor treats null as left out", () => {
    const session = filled({ contextWindow: 400_000 });
    session.setOptions({ contextWindow: null });
    assert.deepEqual([session.window, session.limit], [null, null]);
    session.setOptions({ model: "gpt-4", contextWindow: null });
    assert.equal(session.window, 8192);
    assert.equal(new Session({ model: "gpt-4", contextWindow: null }).window, 8192);
    assert.equal(new Session({ contextWindow: null }).window, null);
  });
});
