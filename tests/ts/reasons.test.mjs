// What a report and a graph say about runs that did nothing, repeated a pass, or found no view.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session } from "contextfold";

const exchange = (n, words = 60) => [
  { role: "user", content: `Question ${n}? ${"word ".repeat(words)}` },
  { role: "assistant", content: `Answer ${n}. ${"word ".repeat(words)}` },
];

describe("the ladder rolling", () => {
  const rows = JSON.stringify({ items: Array.from({ length: 12 }, (_, id) => ({ id, title: `meeting ${id}`, place: `room ${id}`, with: "Ann" })), total: 12 });
  const calendar = [
    { role: "user", content: "When is meeting 5?" },
    { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: { name: "calendar", arguments: "{}" } }] },
    { role: "tool", tool_call_id: "c", content: rows },
  ];

  test("compresses the JSON of tool messages only in conversations of more than ten messages", async () => {
    const session = new Session({ contextWindow: 128_000, ladder: "rolling" });
    session.push(calendar);
    assert.equal((await session.prepare()).messages[2].content, rows);
    for (let n = 0; n < 4; n++) session.push(exchange(n));
    assert.match((await session.prepare()).messages[2].content, /"compressed":true/);
  });

  test("folds on request, though everything is small", async () => {
    const session = new Session({ contextWindow: 60_000, ladder: "rolling", summarize: () => "<summary>All went well.</summary>" });
    for (let n = 0; n < 30; n++) session.push(exchange(n));
    const report = await session.compact();
    assert.deepEqual([session.folds().length, report.decisions.map((d) => d.pass)], [1, ["rolling_summary"]]);
    assert.equal(session.view("messages").at(-1).content, exchange(29)[1].content, "the last turn stays");
  });
});

test("a compaction that folds nothing says why", async () => {
  for (const ladder of ["contextfold", "spec", "rolling", "steps-design", "selective", "ladder"]) {
    const session = new Session({ contextWindow: 60_000, ladder, summarize: () => assert.fail("asked") });
    session.push({ role: "user", content: "Hello?" });
    const { decisions } = await session.compact();
    assert.deepEqual(decisions.map((d) => d.pass), ["compact"], ladder);
    assert.match(decisions[0].why, /nothing to fold/);
  }
});

test("when a pass runs several times, each run is numbered, the first included", async () => {
  const session = new Session({ contextWindow: 3_000, safetyMargin: 0, ladder: "ladder", summarize: () => "<summary>Four questions.</summary>" });
  for (let n = 0; n < 6; n++) {
    const [asks, answers] = exchange(n, 600);
    const call = { id: `c${n}`, type: "function", function: { name: "run", arguments: "{}" } };
    session.push([{ ...asks, content: `question ${n}` }, { role: "assistant", content: null, tool_calls: [call] }, { role: "tool", tool_call_id: `c${n}`, content: "a line\n".repeat(160) }, answers]);
  }
  const { report } = await session.prepare();
  const tries = report.decisions.filter((d) => d.pass === "shrink_turns").map((d) => d.attempt);
  assert.ok(tries.length > 1, JSON.stringify(report.decisions.map((d) => d.pass)));
  assert.deepEqual(tries, tries.map((_, at) => at + 1));
  assert.deepEqual(report.context_cost.decisions.filter((d) => d.pass === "shrink_turns").map((d) => d.attempt), tries);
  const once = report.decisions.filter((d) => report.decisions.filter((other) => other.pass === d.pass).length === 1);
  assert.ok(once.every((d) => d.attempt === undefined));
});

test("a call for which no view fits is an errored agent node with its cost", async () => {
  const session = new Session({ contextWindow: 500, ladder: "ladder" });
  const [asked] = session.push({ role: "user", content: "word ".repeat(2_000) });
  await assert.rejects(session.prepare(), { code: "CONTEXT_WINDOW_EXCEEDED" });
  await assert.rejects(session.prepare(), { code: "CONTEXT_WINDOW_EXCEEDED" });
  const errored = session.graph.nodes().filter((node) => node.state === "errored");
  assert.equal(errored.length, 1, "another try of the same call is no other call");
  assert.equal(errored[0].type, "agent_message");
  assert.equal(errored[0].metadata.context_cost.limit, 500);
  assert.ok(errored[0].metadata.context_cost.estimated_tokens > 500);
  assert.ok(session.graph.edges().some((edge) => edge.from === asked && edge.to === errored[0].id));
  const graph = ({ graph }) => [graph.nodes(), graph.edges()];
  assert.deepEqual(graph(Session.restore(session.snapshot())), graph(session), "a restored session tells of it, too");
  session.setOptions({ contextWindow: 50_000 });
  await session.prepare();
  session.push({ role: "assistant", content: "Done." });
  assert.equal(session.graph.nodes().filter((node) => node.state === "errored").length, 1, "and stays what it was");
});
