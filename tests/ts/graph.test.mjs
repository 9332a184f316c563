// ContextGraph: nodes, views, folds, lanes, snapshots, and refusals.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ContextGraph } from "contextfold";
import { failsWith } from "../support/session.mjs";

const TYPES = { u: "user_message", a: "agent_message", t: "task", s: "system_message", d: "developer_message" };
const named = (id, more) => ({ id, type: TYPES[id[0]], content: `text of ${id}`, ...more });

/** A graph with one lane of these nodes. */
function line(ids, options) {
  const graph = new ContextGraph(options);
  for (const id of ids.split(" ")) graph.addNode(named(id));
  return graph;
}

const view = (graph, id, limitTurns) => graph.contextForFull(id, limitTurns && { limitTurns }).map((node) => node.id).join(" ");
const state = (graph) => Buffer.from(graph.snapshot()).toString();

describe("nodes", () => {
  test("omitted fields have defaults", () => {
    const graph = new ContextGraph();
    assert.equal(graph.addNode({ type: "user_message" }), "n1");
    assert.equal(graph.addNode({ type: "agent_message", content: "hi" }), "n2");
    assert.deepEqual(graph.nodes(), [
      { id: "n1", type: "user_message", lane: "main", state: "finished" },
      { id: "n2", type: "agent_message", lane: "main", state: "finished", content: "hi" },
    ]);
    assert.deepEqual(graph.edges(), [{ from: "n1", to: "n2", kind: "sequence" }]);
  });

  test("content and messages come out as they went in", () => {
    const graph = new ContextGraph();
    const parts = [{ type: "text", text: "look" }, { type: "image", url: "https://host.invalid/a.png" }];
    const message = { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }], own: { field: 1 } };
    const result = { role: "tool", tool_call_id: "c1", content: "42", is_error: true };
    graph.addNode({ type: "user_message", content: parts });
    graph.addNode({ type: "agent_message", message });
    graph.addNode({ type: "task", message: result });
    const [first, second, third] = ContextGraph.restore(graph.snapshot()).nodes();
    assert.deepEqual(first.content, parts);
    assert.deepEqual(second.message, message);
    assert.deepEqual(third.message, result);
    assert.equal(second.content, undefined);
  });

  test("states", () => {
    const graph = new ContextGraph();
    graph.addNode(named("t1", { state: "pending" }));
    for (const state of ["running", "errored", "finished", "pending"]) {
      graph.setState("t1", state);
      assert.equal(graph.nodes()[0].state, state);
    }
  });

  test("parallel tasks come after their call and before the answer", () => {
    const graph = line("u1 a1");
    graph.addNode(named("t1", { after: "a1" }));
    graph.addNode(named("t2", { after: "a1" }));
    graph.addNode(named("a2", { after: ["t1", "t2"] }));
    assert.equal(view(graph, "t2"), "u1 a1 t2");
    assert.equal(view(graph, "a2"), "u1 a1 t1 t2 a2");
    graph.addNode(named("u2", { after: [] }));
    assert.equal(view(graph, "u2"), "u2");
  });
});

describe("views and folds", () => {
  test("the view has the last turns and everything pinned", () => {
    const graph = line("s1 u1 a1 u2 a2 u3");
    assert.equal(view(graph, "u3"), "s1 u1 a1 u2 a2 u3");
    assert.equal(view(graph, "u3", 2), "s1 u2 a2 u3");
    assert.equal(view(graph, "u3", 1), "s1 u3");
  });

  test("a fold replaces and marks the nodes it hides, and is undone exactly", () => {
    const graph = line("u1 a1 u2 a2");
    const before = { nodes: graph.nodes(), edges: graph.edges(), bytes: state(graph) };
    const fold = graph.compress(["u1", "a1"], "They met.");
    assert.equal(view(graph, "a2"), `${fold} u2 a2`);
    assert.deepEqual(graph.contextForFull("a2")[0], { id: fold, type: "summary", lane: "main", state: "finished", content: "They met." });
    assert.deepEqual(graph.nodes()[1], { ...before.nodes[1], compressed_at: 4, compressed_by: fold });
    assert.deepEqual(graph.edges(), [
      { from: "u1", to: "a1", kind: "sequence", compressed_at: 4 },
      { from: "a1", to: "u2", kind: "sequence", compressed_at: 4 },
      { from: "u2", to: "a2", kind: "sequence" },
      { from: fold, to: "u2", kind: "sequence", relaid: true },
    ]);
    graph.expand(fold);
    assert.deepEqual({ nodes: graph.nodes(), edges: graph.edges(), bytes: state(graph) }, before);
  });

  test("nested folds unfold level by level, also after more was appended", () => {
    const graph = line("u1 a1 u2 a2 u3");
    const inner = graph.compress(["u1", "a1"], "one");
    const outer = graph.compress([inner, "u2"], "two");
    graph.addNode(named("a3"));
    assert.equal(view(graph, "a3"), `${outer} a2 u3 a3`);
    assert.throws(() => graph.expand(inner), failsWith("GRAPH_CONSTRAINT", /`fold_1`: it is folded into `fold_2`/));
    graph.expand(outer);
    assert.equal(view(graph, "a3"), `${inner} u2 a2 u3 a3`);
    graph.expand(inner);
    assert.equal(state(graph), state(line("u1 a1 u2 a2 u3 a3")));
  });

  test("lanes: a fork sees what was before it, and a merge brings only its result", () => {
    const graph = line("s1 u1 a1");
    graph.fork("a1", "sub");
    graph.addNode(named("u7", { lane: "sub" }));
    graph.addNode(named("a7", { lane: "sub" }));
    graph.addNode(named("t1"));
    graph.addEdge("a7", "t1", "branch");
    graph.addNode(named("u2"));
    assert.equal(view(graph, "a7"), "s1 u1 a1 u7 a7");
    assert.equal(view(graph, "u2"), "s1 u1 a1 t1 u2");
    assert.deepEqual(graph.edges().filter((e) => e.kind === "branch"), [
      { from: "a1", to: "u7", kind: "branch" },
      { from: "a7", to: "t1", kind: "branch" },
    ]);
    graph.compress(["u1", "a1", "t1"], "all of it");
    assert.equal(view(graph, "u2"), "s1 fold_1 u2");
  });
});

describe("snapshots", () => {
  test("the same graph gives the same bytes", () => {
    const graph = line("s1 u1 a1 u2", { maxNodes: 7 });
    graph.compress(["u1", "a1"], "S");
    const again = ContextGraph.restore(graph.snapshot());
    assert.equal(state(again), state(graph));
    assert.deepEqual([again.nodes(), again.edges()], [graph.nodes(), graph.edges()]);
    again.addNode(named("a2"));
    again.addNode(named("u3"));
    assert.throws(() => again.addNode(named("a3")), failsWith("SAFETY_LIMIT_EXCEEDED", /8 nodes .* 7/));
  });

  test("a newer version and damaged bytes are refused", () => {
    const bytes = line("u1 a1").snapshot();
    const newer = Buffer.from(Buffer.from(bytes).toString().replace("graph 1", "graph 9"));
    assert.throws(() => ContextGraph.restore(newer), failsWith("SNAPSHOT_TOO_NEW", /version 9/));
    assert.throws(() => ContextGraph.restore(bytes.subarray(0, -1)), failsWith("SNAPSHOT_INVALID", /checksum/));
    assert.throws(() => ContextGraph.restore(new Uint8Array()), failsWith("SNAPSHOT_INVALID"));
    assert.throws(() => ContextGraph.restore("text"), failsWith("INVALID_ARGUMENT", /Uint8Array/));
  });
});

describe("refusals change nothing", () => {
  const graph = line("u1 a1 u2 a2", { maxNodes: 6 });
  graph.compress(["u1"], "S");
  const constraint = (words) => failsWith("GRAPH_CONSTRAINT", words);
  const argument = (words) => failsWith("INVALID_ARGUMENT", words);
  const refusals = {
    "an id that is taken": [() => graph.addNode(named("u2")), constraint(/`u2`: the id is already used/)],
    "a missing node": [() => graph.addEdge("u2", "x"), constraint(/`x`: there is no node/)],
    "a cycle": [() => graph.addEdge("a2", "a1", "dependency"), constraint(/`a2`, `a1`: .*cycle/)],
    "an edge to a folded node": [() => graph.addEdge("u1", "a2"), constraint(/`u1`: it is folded into `fold_1`/)],
    "a view of a folded node": [() => graph.contextForFull("u1"), constraint(/`u1`/)],
    "a summary that would be a leaf": [() => graph.compress(["u2", "a2"], "S"), constraint(/`u2`, `a2`: .*leaf/)],
    "an empty summary": [() => graph.compress(["a1"], " "), failsWith("SUMMARY_EMPTY")],
    "nothing to fold": [() => graph.compress([], "S"), constraint(/nothing to fold/)],
    "too many edges": [() => line("u1 a1 u2", { maxEdges: 2 }).addEdge("u1", "u2"), failsWith("SAFETY_LIMIT_EXCEEDED", /3 edges .* 2/)],
    "an unknown type": [() => graph.addNode({ type: "message" }), argument(/`type`: expected one of "user_message"/)],
    "no type": [() => graph.addNode({}), argument(/`type` is missing/)],
    "an unknown state": [() => graph.setState("u2", "done"), argument(/`state`/)],
    "an unknown kind": [() => graph.addEdge("u2", "a2", "after"), argument(/`kind`/)],
    "an unknown key": [() => graph.addNode({ type: "task", parent: "u2" }), argument(/`parent`: unknown key/)],
    "content and a message": [() => graph.addNode({ type: "task", content: "", message: {} }), argument(/not both/)],
    "a message of another role": [() => graph.addNode({ type: "task", message: { role: "user", content: "" } }), argument(/role `tool`, not `user`/)],
    "a malformed message": [() => graph.addNode({ type: "task", message: { role: "tool" } }), failsWith("INVALID_MESSAGE")],
    "malformed content": [() => graph.addNode({ type: "task", content: 5 }), failsWith("INVALID_MESSAGE")],
    "no turns": [() => graph.contextForFull("a2", { limitTurns: 0 }), argument(/limitTurns/)],
    "half a turn": [() => graph.contextForFull("a2", { limitTurns: 1.5 }), argument(/limitTurns/)],
    "a lane that is there": [() => graph.fork("a2", "main"), argument(/`main`/)],
    "limits of another type": [() => new ContextGraph({ maxNodes: "many" }), failsWith("INVALID_CONFIG", /maxNodes/)],
    "an unknown limit": [() => new ContextGraph({ maxnodes: 1 }), failsWith("INVALID_CONFIG", /maxNodes/)],
  };
  for (const [name, [act, expected]] of Object.entries(refusals))
    test(name, () => {
      const before = state(graph);
      assert.throws(act, expected);
      assert.equal(state(graph), before);
    });

  const wrong = [5, {}, undefined, null, Symbol("x"), [1]];
  for (const value of wrong)
    test(`${String(JSON.stringify(value) ?? String(value))} instead of text`, () => {
      const before = state(graph);
      for (const act of [
        () => graph.addNode({ type: value ?? 7 }),
        () => graph.addNode({ type: "task", id: value ?? 7 }),
        () => graph.addEdge(value, "a2"),
        () => graph.addEdge("u2", value),
        () => graph.setState(value, "finished"),
        () => graph.setState("u2", value),
        () => graph.contextForFull(value),
        () => graph.compress(value, "S"),
        () => graph.compress([value], "S"),
        () => graph.compress(["a1"], value),
        () => graph.expand(value),
        () => graph.fork(value, "l"),
        () => graph.fork("u2", value),
        () => ContextGraph.restore(value),
      ])
        assert.throws(act, argument());
      assert.equal(state(graph), before);
    });

  test("not a node at all", () => {
    for (const value of [5, undefined, null, "text", Symbol("x"), []]) assert.throws(() => graph.addNode(value), argument());
  });
});

test("a getter that uses the graph while it is read gets an error, and nothing is broken", () => {
  const graph = line("u1");
  graph.addNode({ type: "user_message", get content() { return `${graph.nodes().length} before`; } });
  assert.equal(graph.nodes()[1].content, "1 before");
});

test("a graph is freed by `using`, and says so afterwards", () => {
  const graph = line("u1");
  graph[Symbol.dispose]();
  assert.throws(() => graph.nodes(), failsWith("FREED"));
});

test("a long lane does not overflow the stack", () => {
  const graph = new ContextGraph();
  for (let n = 0; n < 20_000; n++) graph.addNode({ type: n % 2 ? "agent_message" : "user_message" });
  assert.equal(graph.contextForFull("n20000").length, 20_000);
  assert.equal(graph.contextForFull("n20000", { limitTurns: 3 }).length, 6);
  assert.throws(() => graph.addEdge("n20000", "n1"), failsWith("GRAPH_CONSTRAINT", /cycle/));
  assert.equal(ContextGraph.restore(graph.snapshot()).nodes().length, 20_000);
});
