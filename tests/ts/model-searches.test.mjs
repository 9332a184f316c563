// Searches that a model requests: how long they may take, and what the model is told.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, countTokens } from "contextfold";
import { runTool } from "contextfold/tools";
import { assistant, calls, failsWith, output, user } from "../support/session.mjs";

/** Runs a function that returns a promise, and counts how often the event loop ran meanwhile. */
async function turnsDuring(run) {
  let turns = 0;
  const beat = setInterval(() => turns++, 1);
  try {
    return [await run(), turns];
  } finally {
    clearInterval(beat);
  }
}

// A text can match at 60 positions of it at once.
const SLOW = "[\\w\\W]{60}c";

describe("a search runs in slices", () => {
  // Which part of a short limit a busy machine leaves to the search is not known, so turns are counted in searches that may finish.
  const patient = () => new Session({ toolOutputCache: { searchMs: 60_000 } });
  const hurried = () => new Session({ toolOutputCache: { searchMs: 300 } });
  const oneMatchIn = (lines) => `${"a".repeat(60)}c\n${`${"a".repeat(99)}\n`.repeat(lines)}`;

  test("of an output: the event loop is free in between", async () => {
    const session = patient();
    const { id: ref_id } = session.toolOutputs.put(oneMatchIn(6_000));
    const [answer, turns] = await turnsDuring(() => session.toolOutputs.grep({ ref_id, pattern: SLOW }));
    assert.match(answer, /^1:a+c\n\[1 of 1 matching lines shown\]$/);
    assert.ok(turns > 3, `${turns} turns`);
  });

  test("of the history too", async () => {
    const session = patient();
    session.push([user(`the oldest ${"a".repeat(60)}c`), user("a".repeat(500_000)), user(`the newest ${"a".repeat(60)}c`)]);
    const [hits, turns] = await turnsDuring(() => session.searchAsync(SLOW, { regex: true }));
    assert.deepEqual(hits.map(({ id }) => id), ["m3", "m1"]);
    assert.ok(turns > 3, `${turns} turns`);
    assert.deepEqual(await session.searchAsync("oldest"), session.search("oldest"));
  });

  test("matches found before the time limit are returned", async () => {
    const session = hurried();
    const { id: ref_id } = session.toolOutputs.put(oneMatchIn(80_000));
    const answer = await session.toolOutputs.grep({ ref_id, pattern: SLOW });
    assert.match(answer, /^1:a+c\n\[stopped after \d+ of 80001 lines: the pattern takes too long\]$/);
    assert.match(await session.toolOutputs.grep({ ref_id, pattern: "^a+c$" }), /^1:a+c/, "a plain one is not stopped before its match");

    const history = hurried();
    history.push([user(`the oldest ${"a".repeat(60)}c`), user("a".repeat(4_000_000)), user(`the newest ${"a".repeat(60)}c`)]);
    const hits = await history.searchAsync(SLOW, { regex: true });
    assert.deepEqual(hits.map(({ id, unseen }) => [id, unseen]), [["m3", undefined], ["m2", true]]);
    assert.match(hits[1].excerpt, /^\[stopped: .*`m2` and what is older/);
  });

  test("a search ends with the reason if its session is freed or its output is removed", async () => {
    const session = new Session();
    const { id: ref_id } = session.toolOutputs.put("a".repeat(4_000_000));
    const goesOn = session.toolOutputs.grep({ ref_id, pattern: SLOW });
    setTimeout(() => session.toolOutputs.collectGarbage(), 5);
    await assert.rejects(goesOn, failsWith("UNKNOWN_REF"));
    session.push(user("a".repeat(4_000_000)));
    const search = session.searchAsync(SLOW, { regex: true });
    setTimeout(() => session.free(), 5);
    await assert.rejects(search, failsWith("FREED"));
  });

  test("wrong arguments reject", async () => {
    const session = new Session();
    for (const query of [42, null, undefined, {}, "", /(?=x)/]) await assert.rejects(session.searchAsync(query), failsWith("INVALID_ARGUMENT"));
  });
});

describe("a natural query", () => {
  const session = new Session({ contextWindow: 100_000 });
  session.push([user("The retry should give up after 11 attempts, not 7. The release is on 14 March."), assistant("Noted.")]);
  for (let at = 0; at < 30; at++) session.push([calls(`c${at}`), output(`c${at}`, `${"retry ok\n".repeat(4)}${"line\n".repeat(90)}`.repeat(3))]);
  session.push([assistant("I ran retry 30 times.")]);
  const found = async (query, more) => JSON.parse(await runTool(session, "search_history", { query, ...more }));

  test("of words that stand apart finds the message that has them", async () => {
    for (const query of ["retry attempts", "attempt of a RETRY", "release date", "when is the release"]) assert.match((await found(query))[0].excerpt, /give up after 11 attempts/, query);
    assert.deepEqual((await session.searchAsync("retry attempts")), session.search("retry attempts"));
    assert.equal(await runTool(session, "search_history", { query: "retry attempts", regex: true }), "[nothing found]");
  });

  test("gives one hit per message, and what was said before outputs", async () => {
    const hits = await found("retry", { max_hits: 5 });
    assert.equal(new Set(hits.map(({ id }) => id)).size, 5);
    assert.deepEqual(hits.map(({ role }) => role), ["assistant", "tool", "tool", "tool", "user"]);
  });
});

describe("what the model is told", () => {
  const session = new Session({ contextWindow: 4000 });
  session.push([user("go"), calls("a"), output("a", "one\ntwo\nthree\n"), assistant("done")]);
  const long = "x".repeat(100_000);
  const ref_id = "out_1";

  test("errors quote only a limited length, and a long text is not called a regular expression", async () => {
    for (const [name, args, expected] of [
      ["tool_output_cache", { ref_id: long }, /no tool output has the ref/],
      ["tool_output_cache", { ref_id, [long]: 1 }, /unknown key/],
      ["tool_output_cache", { ref_id, limit: long }, /expected a whole number/],
      ["tool_output_cache_grep", { ref_id, pattern: `[${long}` }, /100001 bytes, but a pattern may have at most 2000/],
      ["tool_output_cache_grep", { ref_id, pattern: `[${"x".repeat(1_900)}` }, /unclosed character class/],
      ["search_history", { query: `(${long}`, regex: true }, /100001 bytes/],
      ["search_history", { query: `(${"x".repeat(1_900)}`, regex: true }, /unclosed group/],
      ["search_history", { query: "q".repeat(5_000_000) }, /^Error: the query: it has 5000000 bytes, but the limit is 1000/],
    ]) {
      const answer = await runTool(session, name, args);
      assert.match(answer, expected);
      assert.ok(countTokens(answer) < 200, `${name}: ${answer.length} characters`);
      if (!args.regex) assert.doesNotMatch(answer, /not a valid regular expression/);
    }
    await assert.rejects(runTool(session, long, {}), ({ message }) => message.length < 300);
  });

  test("errors name tools that a model can call, and numbers in quotes are accepted", async () => {
    const nope = await runTool(session, "tool_output_cache", { ref_id: "nope" });
    assert.match(nope, /no tool output has the ref `nope`; the newest of the 1 that are stored are out_1/);
    assert.doesNotMatch(nope, /\(\)/);
    assert.match(await runTool(session, "tool_output_cache", { ref_id: "ref=out_1" }), /near it are out_1/);
    assert.match(await runTool(session, "tool_output_cache", { ref_id, offset: "1", limit: "1" }), /^ +2\ttwo/);
    assert.match(await runTool(session, "tool_output_cache_grep", { ref_id, pattern: "T", ignore_case: "true", max_matches: "1" }), /^2:two\n\[1 of 2/);
    assert.match(await runTool(session, "search_history", { query: "t.o", regex: "true", max_hits: "3" }), /two/);
    assert.equal(await runTool(session, "search_history", { query: "t.o", regex: "false" }), "[nothing found]");
  });
});
