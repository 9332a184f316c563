// The ladder from JavaScript: presets as plain data, lists of passes, and what the session reports about them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, presets } from "contextfold";
import { assistant, calls, conversation, deferred, failsWith, output, settled, user, words } from "../support/session.mjs";

const NAMES = ["contextfold", "spec", "rolling", "steps-design", "steps-execution", "selective", "ladder"];
const SHORT = { text: "<summary>They talked.</summary>" };
const passes = (report) => report.decisions.map((d) => d.pass);
/** `count` alternating messages, each about 110 tokens. */
const talk = (count, from = 0) => Array.from({ length: count }, (_, i) => (i % 2 ? assistant : user)(`${from + i}: ${words(40, from + i)}`));

describe("presets", () => {
  test("one for each document, and our own", () => assert.deepEqual(Object.keys(presets), NAMES));

  for (const name of NAMES) {
    test(`${name} is plain data, copied at each read`, () => {
      const list = presets[name];
      assert.deepEqual(structuredClone(list), list);
      assert.deepEqual(JSON.parse(JSON.stringify(list)), list);
      assert.ok(list.length > 0 && list.every((pass) => typeof pass.pass === "string"));
      assert.notEqual(presets[name], list);
      list[0].pass = "changed";
      list.length = 1;
      assert.notDeepEqual(presets[name], list);
    });

    test(`${name} gives a session the same ladder by name and as a list`, () => {
      assert.deepEqual(new Session({ ladder: name }).ladder, presets[name]);
      assert.deepEqual(new Session({ ladder: presets[name] }).ladder, presets[name]);
    });
  }

  test("the object cannot be changed", () => {
    assert.throws(() => (presets.spec = []), TypeError);
    assert.throws(() => (presets.mine = []), TypeError);
    assert.throws(() => delete presets.spec, TypeError);
  });

  test("contextfold is the default", () => assert.deepEqual(new Session().ladder, presets.contextfold));

  test("a modified copy works as a custom ladder", async () => {
    const ladder = presets.rolling.map((p) => (p.pass === "rolling_summary" ? { ...p, upperThreshold: 2000, lowerThreshold: 1000 } : p));
    const session = new Session({ ladder, summarize: () => SHORT });
    assert.deepEqual(session.ladder, ladder);
    session.push(talk(40));
    const { report } = await session.prepare();
    assert.deepEqual(passes(report), ["rolling_summary"]);
    assert.ok(session.tokens < 1000);
  });

  test("compaction options override a preset's numbers, but not a list's", () => {
    const kept = (options) => new Session(options).ladder.find((p) => p.pass === "summarize");
    const compaction = { retainLastTurns: 7 };
    assert.equal(kept({ ladder: "steps-design", compaction }).keepSteps, 7);
    assert.equal(kept({ ladder: presets["steps-design"], compaction }).keepSteps, 3);
    assert.equal(kept({ ladder: "steps-design" }).thresholdTokens, 150_000);
    assert.equal(kept({ ladder: "steps-execution" }).thresholdTokens, 700_000);
    assert.equal(kept({ ladder: "steps-design", compaction: { thresholdRatio: 0.5 } }).thresholdTokens, undefined);
  });
});

describe("the option is checked at construction", () => {
  const refused = [
    ["rollin", /`ladder`.*did you mean `rolling`/],
    [5, /`ladder`/],
    [{ pass: "spec" }, /`ladder`/],
    [["spec"], /`ladder\[0\]\.pass`: there is no pass `spec`/],
    [[{}], /`ladder\[0\]\.pass`/],
    [[{ pass: "sumarize" }], /`ladder\[0\]\.pass`.*did you mean `summarize`/],
    [[{ pass: "ephemeral" }, { pass: "shrink_turns", to: 0 }], /`ladder\[1\]\.to`/],
    [[{ pass: "shrink_turns", from: 1, to: 2 }], /`ladder\[0\]\.from`/],
    [[{ pass: "auto_compact", enabled: 1 }], /`ladder\[0\]\.enabled`/],
    [[{ pass: "compress_json", maxTokns: 5 }], /`ladder\[0\]\.maxTokns`.*did you mean `maxTokens`/],
    [[{ pass: "compress_json", maxTokens: -1 }], /`ladder\[0\]\.maxTokens`/],
    [[{ pass: "compress_json", maxTokens: NaN }], /`ladder\[0\]\.maxTokens`/],
    [[{ pass: "compress_json", maxTokens: 1e300 }], /`ladder\[0\]\.maxTokens`/],
    [[{ pass: "rolling_summary", upperThreshold: 10, lowerThreshold: 10 }], /`ladder\[0\]\.lowerThreshold`/],
    [[{ pass: "recent_window", targetRatio: 1.5 }], /`ladder\[0\]\.targetRatio`/],
    [[{ pass: "recent_window", summaryRatio: 0.6, recentRatio: 0.6 }], /`ladder\[0\]\.recentRatio`/],
    [[{ pass: "summarize", keepTurns: 1, keepSteps: 1 }], /`ladder\[0\]\.keepSteps`/],
    [[{ pass: "summarize", layout: "replace", keepTurns: 1 }], /`ladder\[0\]\.keepTurns`/],
  ];
  for (const [ladder, words] of refused)
    test(JSON.stringify(ladder), () => assert.throws(() => new Session({ ladder }), failsWith("INVALID_CONFIG", words)));

  test("an empty list leaves the last resort: long messages lose their middle, too many short ones fail", async () => {
    const session = new Session({ ladder: [], contextWindow: 2000 });
    session.push([user("go"), calls("a"), output("a", words(2000))]);
    const { report } = await session.prepare();
    assert.deepEqual(passes(report), ["shorten"]);
    assert.ok(report.tokens_after <= 2000);
    session.push(Array.from({ length: 1000 }, (_, n) => user(`note ${n}`)));
    await assert.rejects(session.prepare(), failsWith("CONTEXT_WINDOW_EXCEEDED"));
  });
});

describe("summaryState", () => {
  const small = [{ pass: "rolling_summary", upperThreshold: 2000, lowerThreshold: 1000 }];

  test("null before the first summary, then the fields of the document", async () => {
    const session = new Session({ ladder: small, summarize: () => SHORT, now: () => 1_768_903_200_000 });
    session.push(talk(40));
    assert.equal(session.summaryState, null);
    await session.prepare();
    const state = session.summaryState;
    assert.deepEqual(Object.keys(state).sort(), ["compression_rate", "created_at", "is_summarizing", "message_count", "original_tokens", "summarized_until", "summary", "summary_tokens"]);
    assert.match(state.summary, /They talked\./);
    assert.equal(state.created_at, 1_768_903_200_000);
    assert.equal(state.is_summarizing, false);
    assert.equal(state.summarized_until, state.message_count);
    assert.equal(state.compression_rate, 1 - state.summary_tokens / state.original_tokens);
    assert.equal(state.message_count + session.view("messages").length - 1, 40);
  });

  test("without a clock the time is missing", async () => {
    const session = new Session({ ladder: small, summarize: () => SHORT });
    session.push(talk(40));
    await session.prepare();
    assert.equal(session.summaryState.created_at, null);
  });

  test("is_summarizing is true while a later summary is awaited, and false after it failed", async () => {
    let answer = { promise: SHORT };
    const session = new Session({ ladder: small, compaction: { maxAttempts: 1 }, summarize: () => answer.promise });
    session.push(talk(40));
    await session.prepare();
    session.push(talk(40, 40));
    answer = deferred();
    const run = session.prepare();
    await settled();
    assert.equal(session.summaryState.is_summarizing, true);
    answer.reject(new Error("down"));
    assert.match((await run).report.summary.fallback, /SUMMARY_FAILED/, "it goes on without");
    assert.equal(session.summaryState.is_summarizing, false);
    answer = { promise: SHORT };
    session.push(talk(2, 80));
    await session.prepare();
    assert.ok(session.summaryState.message_count > 60, "no lock stays");
  });

  for (const now of [0, "2026", {}]) {
    test(`now: ${JSON.stringify(now)} is refused`, () => assert.throws(() => new Session({ now }), failsWith("INVALID_CONFIG", /`now`/)));
  }
});

describe("rolling", () => {
  test("the summary comes second, as a system message under a heading that ends in ---", async () => {
    const asked = [];
    const ladder = [{ pass: "rolling_summary", upperThreshold: 2000, lowerThreshold: 1000 }];
    const session = new Session({ ladder, summarize: (request) => (asked.push(request), SHORT) });
    session.push([{ role: "system", content: "You are terse." }, ...talk(40)]);
    for (let round = 0; round < 2; round++) {
      await session.prepare();
      const [first, second, third] = session.view("messages");
      assert.deepEqual([first.role, second.role, third.role], ["system", "system", "user"]);
      assert.match(second.content, /^## Summary of the conversation[\s\S]*They talked\.[\s\S]*\n---$/);
      session.push(talk(40, 40 * (round + 1)));
    }
    assert.equal(asked.length, 2);
    assert.match(JSON.stringify(asked[1].messages), /They talked\./, "it extends the one before");
  });

  test("left_out lists messages that are outside the window and not covered by a summary", async () => {
    const session = new Session({ ladder: [{ pass: "recent_window" }], contextWindow: 4000 });
    const ids = session.push(talk(30));
    const { report, messages } = await session.prepare();
    assert.deepEqual(passes(report), ["recent_window"]);
    assert.deepEqual(report.left_out.map((l) => l.id), ids.slice(0, 30 - messages.length));
    assert.equal(report.budgets.target, 2400);
  });
});

test("steps: a user message asks, the assistant answers, and the request asks for JSON", async () => {
  const asked = [];
  const text = '<compact_summary>{"pending_work":["part 9"]}</compact_summary>';
  const session = new Session({ ladder: "steps-execution", contextWindow: 10_000, compaction: { summarizerWindow: 100_000 }, summarize: (request) => (asked.push(request), { text }) });
  session.push(talk(80));
  const { messages, report } = await session.prepare();
  assert.ok(passes(report).includes("summarize"));
  assert.deepEqual(messages.slice(0, 3).map((m) => m.role), ["user", "assistant", "user"]);
  assert.equal(messages[1].content, text);
  assert.equal(messages.length, 2 + 10, "five exchanges");
  assert.match(JSON.stringify(asked[0].messages.at(-1)), /compact_summary/);
});

test("ephemeral messages are removed when the next call is prepared, and tool outputs keep their calls", async () => {
  const session = new Session({ ladder: "selective", contextWindow: 100_000 });
  session.push(user("watch"));
  for (let n = 0; n < 4; n++) session.push([calls(`shot${n}`), output(`shot${n}`, words(80, n), { ephemeral: 1 }), user(`state ${n}`, { item_type: "INJECTION", ephemeral: 2 })]);
  assert.equal(session.view("messages").length, 13);
  const { messages, report } = await session.prepare();
  assert.deepEqual(passes(report), ["ephemeral"]);
  assert.deepEqual(messages.filter((m) => m.role === "user").map((m) => m.content), ["watch", "state 2", "state 3"]);
  const outputs = messages.filter((m) => m.role === "tool");
  assert.equal(outputs.length, 4);
  assert.deepEqual(outputs.map((m) => m.content.includes("word")), [false, false, false, true]);
});

test("selective: events come in order; removed messages are named, and the summary replaces the conversation", async () => {
  const session = new Session({ ladder: "selective", contextWindow: 4000, summarize: () => SHORT });
  const seen = [];
  session.push([{ role: "system", content: "header" }, user("read"), ...Array.from({ length: 4 }, (_, n) => [calls(`c${n}`), output(`c${n}`, words(20, n))]).flat()]);
  session.push([user("big"), assistant(words(400, 1)), user("bigger"), assistant(words(400, 2)), user("biggest"), assistant(words(400, 3)), user("go on")]);
  session.on("*", (event) => seen.push(event.event));
  const { messages } = await session.prepare();
  assert.deepEqual(seen.filter((name, i) => seen[i - 1] !== name), ["compaction_started", "compaction_progress", "items_removed", "folded", "conversation_replaced", "compaction_finished"]);
  assert.deepEqual(messages.map((m) => m.content), ["header", "They talked.", "go on"]);
});

test("the ladder document folds turns only into a smaller summary, and a call does not fail without one", async () => {
  const long = `<summary>${"They asked and were answered. ".repeat(40)}</summary>`;
  for (const summarize of [undefined, async () => long]) {
    const session = new Session({ contextWindow: 20_000, ladder: "ladder", summarize });
    session.setHeader("You help.");
    for (let n = 0; n < 140; n++) {
      session.push([{ role: "user", content: `question ${n} `.repeat(30) }, { role: "assistant", content: `answer ${n} `.repeat(90) }]);
      const { report } = await session.prepare();
      assert.ok(report.tokens_after <= report.limit);
    }
    assert.ok(session.folds().length > 0);
  }
});

test("if a pass removes a request, its answer becomes an exchange of its own", async () => {
  const session = new Session({ contextWindow: 100_000, ladder: [{ pass: "ephemeral" }, { pass: "drop_old_tool_results", keepSteps: 1 }] });
  const screen = (n) => [{ ...user(`screen ${n}`), ephemeral: 1 }, assistant(`I see screen ${n}.`)];
  session.push([user("What is the answer?"), assistant("It is 42."), ...screen(1), user("more"), assistant("ok")]);
  await session.prepare();
  session.push([...screen(2), user("bye")]);
  const { messages } = await session.prepare();
  assert.deepEqual(messages.map((m) => m.content).slice(0, 4), ["What is the answer?", "It is 42.", "I see screen 1.", "more"]);
});
