// Unfold, rewind, fork and merge; the history as a graph.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ContextGraph, Session } from "contextfold";
import { assistant, calls, conversation, failsWith, output, stateOf, user } from "../support/session.mjs";

const ids = (session) => session.items().map((item) => item.id);
const named = (message, id) => ({ ...message, id });
/** Four turns with given ids, and the newest question. */
function talk(options) {
  const session = new Session({ contextWindow: 1_000_000, ...options });
  session.push([...conversation(3, 40), user("and now?")]);
  return session;
}

describe("unfold", () => {
  test("restores the view, with newer messages after it", async () => {
    const session = talk();
    const before = session.view("openai-chat");
    const shown = ids(session);
    await session.compact();
    const [fold] = session.folds();
    session.push(assistant("done"));
    const events = [];
    session.on("*", (event) => events.push(event));
    session.unfold(fold.id);
    assert.deepEqual(ids(session).slice(0, shown.length), shown);
    assert.deepEqual(session.view("openai-chat").slice(0, -1), before);
    assert.deepEqual(events.map((e) => [e.event, e.items]), [["unfolded", fold.items]]);
    assert.deepEqual(session.folds(), []);
  });

  test("a fold inside another fold: the error names the one to undo first", async () => {
    const session = talk();
    await session.compact();
    session.push([assistant("so"), user("next?")]);
    await session.compact();
    const [inner, outer] = session.folds();
    assert.throws(() => session.unfold(inner.id), failsWith("GRAPH_CONSTRAINT", new RegExp(outer.id)));
    const standsFor = () => session.search("question 0")[0].fold;
    assert.equal(standsFor(), outer.id, "what unfold takes");
    session.unfold(standsFor());
    assert.equal(standsFor(), inner.id);
    session.unfold(standsFor());
    assert.equal(standsFor(), undefined);
    assert.deepEqual(session.messages.map((m) => m.content), session.lower().map((m) => m.content));
  });

  test("refuses what is not a fold", () => {
    const session = talk();
    for (const id of ["m1", "fold_9", ""]) assert.throws(() => session.unfold(id), failsWith("INVALID_ARGUMENT"));
    for (const id of [undefined, 5, {}, Symbol("x")]) assert.throws(() => session.unfold(id), failsWith("INVALID_ARGUMENT"));
  });

  test("a listener may unfold what is just being folded", async () => {
    const session = talk();
    const before = ids(session);
    session.on("compaction_finished", () => session.unfold(session.folds()[0].id));
    await session.compact();
    assert.deepEqual(ids(session), before);
  });

  test("a run waiting for its summary becomes stale", async () => {
    let asked = 0;
    const session = talk({
      summarize: () => {
        if (asked++) session.unfold(session.folds()[0].id);
        return "<summary>s</summary>";
      },
    });
    await session.compact();
    session.push([assistant("so"), user("next?")]);
    await assert.rejects(session.compact(), failsWith("STALE_PLAN"));
  });
});

describe("rewind", () => {
  test("later messages leave the view and stay in the history", async () => {
    const session = talk();
    const [question] = session.push(user("again?"));
    session.push([named(calls("x"), "call"), output("x", "found the needle")]);
    session.rewind(question);
    assert.equal(ids(session).at(-1), question);
    assert.equal(session.messages.at(-1).content, "found the needle");
    assert.equal(session.search("needle").length, 1);
    const { report } = await session.prepare();
    assert.ok(report.left_out.some((line) => line.id === "call"));
    session.push([named(calls("x"), "call"), output("x", "else")]); // its id and its call are free
    assert.equal(session.view("openai-chat").at(-1).content, "else");
    assert.throws(() => session.rewind("nobody"), failsWith("INVALID_ARGUMENT"));
  });

  test("to before the first message: only the header stays", async () => {
    for (const header of [[], [{ role: "system", content: "Be brief." }]]) {
      const session = new Session({ contextWindow: 4_000 });
      session.setHeader(header);
      session.push([user("Frist"), assistant("a"), user("b")]);
      session.rewind(null);
      assert.equal(session.items().length, header.length);
      session.push(user("First"));
      assert.deepEqual(session.view("openai-chat"), [...header, user("First")]);
      const again = Session.restore(session.snapshot());
      assert.deepEqual(again.view("openai-chat"), session.view("openai-chat"));
      assert.deepEqual(session.messages.map(({ content }) => content).slice(-4), ["Frist", "a", "b", "First"], "nothing is removed from the history");
      assert.ok((await session.prepare()).report.left_out.length === 3);
    }
    for (const id of [undefined, 0, ""]) assert.throws(() => talk().rewind(id), failsWith("INVALID_ARGUMENT"));
  });

  test("to a fold: the error names the message that works", async () => {
    const session = talk();
    await session.compact();
    const [fold] = session.folds();
    const last = fold.items.at(-1);
    assert.throws(() => session.rewind(fold.id), failsWith("INVALID_ARGUMENT", new RegExp(`\\b${fold.id}\\b.*the last one that it stands for is \`${last}\``)));
    session.rewind(last);
    assert.equal(session.folds().length, 0);
    assert.equal(ids(session).at(-1), last);
  });

  test("sync continues from there", () => {
    const session = new Session();
    const list = [user("a"), assistant("b"), user("c"), assistant("d")];
    session.sync("openai-chat", list);
    session.rewind(ids(session)[1]);
    const other = [list[0], list[1], user("e")];
    assert.deepEqual(session.sync("openai-chat", other), { added: 1, diverged_at: null });
    assert.deepEqual(session.view("openai-chat"), other);
    assert.equal(session.view("openai-chat")[0], list[0]);
  });

  test("rewinding into an entry that held several messages: the rest of it is recognised", () => {
    const session = new Session();
    const results = { role: "user", content: ["a", "b"].map((id) => ({ type: "tool_result", tool_use_id: id, content: id })) };
    const uses = { role: "assistant", content: ["a", "b"].map((id) => ({ type: "tool_use", id, name: "f", input: {} })) };
    session.sync("anthropic", [user("go"), uses, results]);
    session.rewind(ids(session)[2]);
    assert.deepEqual(session.sync("anthropic", [user("go"), uses, results]), { added: 1, diverged_at: null });
    assert.deepEqual(session.view("anthropic").messages, [user("go"), uses, results]);
  });
});

describe("fork and merge", () => {
  test("a fork starts as a copy with the same objects, and then diverges", () => {
    const session = new Session();
    const list = [user("go"), calls("a"), output("a", "1"), assistant("done")];
    const pushed = session.pushFrom("openai-chat", list);
    const child = session.fork(pushed[2], { lane: "second try" });
    assert.deepEqual(child.view("openai-chat"), list.slice(0, 3));
    assert.equal(child.view("openai-chat")[1], list[1]);
    const before = stateOf(session);
    child.push(assistant("otherwise"));
    assert.deepEqual(stateOf(session), before);
    assert.deepEqual(child.sync("openai-chat", [...list.slice(0, 3), assistant("otherwise")]), { added: 0, diverged_at: null });
    assert.equal(session.messages.length, 4);
  });

  test("a fork's own options override its session's", async () => {
    const session = talk({ compaction: { retainLastTurns: 2 } });
    const at = ids(session).at(-1);
    const child = session.fork(at, { contextWindow: 600, tokenizer: (text) => text.length });
    assert.equal(child.limit, 600);
    assert.equal(child.tokens, child.items().reduce((sum, item) => sum + item.tokens, 0));
    assert.ok(child.tokens > session.tokens);
    assert.equal(session.limit, 1_000_000);
    for (const [options, code] of [[{ lane: 5 }, "INVALID_ARGUMENT"], [{ contextwindow: 5 }, "INVALID_CONFIG"], [{ model: "gpt-unheard-of" }, "UNKNOWN_MODEL"], [5, "INVALID_CONFIG"]])
      assert.throws(() => session.fork(at, options), failsWith(code));
    const before = stateOf(session);
    assert.throws(() => session.fork(at, { tokenizer: () => { throw new Error("no"); } }), failsWith("INVALID_ARGUMENT"));
    assert.deepEqual(stateOf(session), before);
  });

  test("the outputs so far can be read in the fork", async () => {
    const session = talk();
    const [ref] = session.toolOutputs.refs();
    const child = session.fork(ids(session).at(-1));
    assert.equal(await child.toolOutputs.get(ref.id), await session.toolOutputs.get(ref.id));
  });

  test("a result is merged as the output of an open call, once", () => {
    const session = new Session();
    const [, call] = session.push([user("go"), calls("task")]);
    const child = session.fork(call, { lane: "sub" });
    assert.throws(() => session.merge(child, { tool_call_id: "task" }), failsWith("GRAPH_CONSTRAINT", /no result/));
    child.push([output("task", "started"), user("find it"), assistant("It is in the attic.")]);
    session.merge(child, { tool_call_id: "task" });
    assert.equal(session.lower().at(-1).content, "It is in the attic.");
    assert.equal(session.lower().at(-1).tool_call_id, "task");
    const before = stateOf(session);
    assert.throws(() => session.merge(child, { role: "user" }), failsWith("GRAPH_CONSTRAINT", /already been merged/));
    const other = session.fork(ids(session)[0]);
    other.push(assistant("Elsewhere."));
    assert.throws(() => session.merge(other, { tool_call_id: "task" }), failsWith("INVALID_ARGUMENT", /is waiting/));
    assert.deepEqual(stateOf(session), before);
    session.merge(other, { role: "user" });
    assert.equal(session.lower().at(-1).content, "Elsewhere.");
    assert.deepEqual(session.sync("openai-chat", session.view("openai-chat")), { added: 0, diverged_at: null });
  });

  test("what cannot be merged is refused", () => {
    const session = talk();
    const at = ids(session)[0];
    const child = session.fork(at);
    child.push(assistant("yes"));
    for (const as of [undefined, null, 5, "user", {}, { role: "assistant" }, { role: "user", tool_call_id: "x" }, { call: "x" }])
      assert.throws(() => session.merge(child, as), failsWith("INVALID_ARGUMENT"));
    for (const stranger of [new Session(), session, new ContextGraph(), {}, undefined, null, 5, { __branch: () => 1e9 }])
      assert.throws(() => session.merge(stranger, { role: "user" }), (error) => ["INVALID_ARGUMENT", "FREED"].includes(error.code));
    child.free();
    assert.throws(() => session.merge(child, { role: "user" }), failsWith("FREED"));
    assert.throws(() => child.fork(at), failsWith("FREED"));
  });

  test("a fork outlives its session", () => {
    const session = talk();
    const child = session.fork(ids(session)[3]);
    session.free();
    child.push(user("still here"));
    assert.equal(child.lower().at(-1).content, "still here");
    assert.equal(child.graph.nodes().at(-1).lane, "fork_1");
  });
});

describe("session.graph", () => {
  test("the history, node by node", async () => {
    const session = new Session();
    session.push([user("go"), calls("a"), output("a", "1"), assistant("done"), user("more")]);
    const { graph } = session;
    assert.ok(graph instanceof ContextGraph);
    assert.deepEqual(graph.nodes().map((n) => [n.type, n.lane, n.state]), [
      ["user_message", "main", "finished"],
      ["agent_message", "main", "finished"],
      ["task", "main", "finished"],
      ["agent_message", "main", "finished"],
      ["user_message", "main", "finished"],
    ]);
    const at = ids(session);
    assert.deepEqual(graph.nodes().map((n) => n.id), at);
    assert.deepEqual(graph.edges().filter((e) => e.kind === "dependency"), [{ from: at[1], to: at[2], kind: "dependency" }]);
    assert.deepEqual(graph.contextForFull(at[4]).map((n) => n.message.content ?? null), session.messages.map((m) => m.content ?? null));
    session.push(assistant("so be it"));
    assert.equal(graph.nodes().length, 6, "it is live");
    assert.equal(ContextGraph.restore(graph.snapshot()).nodes().length, 6);
  });

  test("compress folds the session, expand unfolds it", () => {
    const session = talk();
    const before = ids(session);
    const fold = session.graph.compress(before.slice(0, 4), "They talked about words.");
    assert.deepEqual(ids(session), [fold, ...before.slice(4)]);
    assert.deepEqual(session.folds().map((f) => [f.id, f.summary, f.in_view]), [[fold, "They talked about words.", true]]);
    assert.deepEqual(session.graph.contextForFull(before.at(-1)).map((n) => n.id), [fold, ...before.slice(4)]);
    assert.throws(() => session.graph.compress(before.slice(5, 6), "half a step"), failsWith("GRAPH_CONSTRAINT"));
    assert.throws(() => session.graph.compress(before.slice(-1), "a leaf"), failsWith("GRAPH_CONSTRAINT", /leaf/));
    assert.throws(() => session.graph.compress([fold], " "), failsWith("SUMMARY_EMPTY"));
    assert.throws(() => session.graph.expand("nobody"), failsWith("GRAPH_CONSTRAINT"));
    assert.throws(() => session.graph.expand(before[5]), failsWith("GRAPH_CONSTRAINT"));
    session.graph.expand(fold);
    assert.deepEqual(ids(session), before);
  });

  test("other graph methods that would change it point to the session instead", () => {
    const session = talk();
    const [first, second] = ids(session);
    const before = stateOf(session);
    for (const [change, words] of [
      [(graph) => graph.addNode({ type: "user_message", content: "x" }), /session\.push/],
      [(graph) => graph.addEdge(first, second), /session\.push/],
      [(graph) => graph.setState(first, "errored"), /session\.push/],
      [(graph) => graph.fork(first, "lane"), /session\.fork/],
    ])
      assert.throws(() => change(session.graph), failsWith("GRAPH_CONSTRAINT", words));
    assert.deepEqual(stateOf(session), before);
  });

  test("forks are lanes, and a merge is a branch into its session", () => {
    const session = new Session();
    const [, call] = session.push([user("go"), calls("task")]);
    const child = session.fork(call, { lane: "sub" });
    child.push([output("task", "as you say"), user("find it"), assistant("found")]);
    const lane = () => session.graph.nodes().filter((n) => n.lane === "sub").map((n) => n.type);
    assert.deepEqual(lane(), ["task", "user_message", "agent_message"]);
    session.merge(child, { tool_call_id: "task" });
    const branches = session.graph.edges().filter((e) => e.kind === "branch");
    assert.deepEqual(branches.map((e) => [e.from.startsWith("sub/"), e.to.startsWith("sub/")]), [[false, true], [true, false]]);
    assert.deepEqual(session.graph.contextForFull(ids(session).at(-1)).map((n) => n.lane), ["main", "main", "main"]);
    assert.deepEqual(child.graph.nodes().map((n) => n.lane), Array(5).fill("sub"));
    child.free();
    assert.equal(lane().length, 3);
  });

  test("the graph of a freed session says so", () => {
    const session = talk();
    const { graph } = session;
    session.free();
    assert.throws(() => graph.nodes(), failsWith("FREED"));
    assert.throws(() => graph.compress(["m1"], "s"), failsWith("FREED"));
  });

  test("a tokenizer that reads the graph while counting gets an error", () => {
    let graph;
    const session = new Session({ tokenizer: (text) => { graph?.nodes(); return text.length; } });
    session.push(user("one"));
    graph = session.graph;
    session.push(user("two"));
    assert.equal(graph.nodes().length, 2);
  });
});
