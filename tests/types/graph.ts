// Compiled, not run: the graph.

import { ContextGraph } from "contextfold";
import type { Content, ContextGraphOptions, EdgeKind, GraphEdge, GraphNode, GraphNodeInput, NodeState, NodeType } from "contextfold";
import type { Equal, Expect } from "./support.js";

type Signatures = [
  Expect<Equal<ConstructorParameters<typeof ContextGraph>, [options?: ContextGraphOptions | undefined]>>,
  Expect<Equal<ReturnType<ContextGraph["addNode"]>, string>>,
  Expect<Equal<Parameters<ContextGraph["addNode"]>, [node: GraphNodeInput]>>,
  Expect<Equal<Parameters<ContextGraph["addEdge"]>, [from: string, to: string, kind?: EdgeKind | undefined]>>,
  Expect<Equal<ReturnType<ContextGraph["addEdge"]>, void>>,
  Expect<Equal<Parameters<ContextGraph["setState"]>, [id: string, state: NodeState]>>,
  Expect<Equal<Parameters<ContextGraph["contextForFull"]>, [id: string, options?: { limitTurns?: number | undefined } | undefined]>>,
  Expect<Equal<ReturnType<ContextGraph["contextForFull"]>, GraphNode[]>>,
  Expect<Equal<Parameters<ContextGraph["compress"]>, [ids: string[], summary: string]>>,
  Expect<Equal<ReturnType<ContextGraph["compress"]>, string>>,
  Expect<Equal<Parameters<ContextGraph["expand"]>, [summaryId: string]>>,
  Expect<Equal<Parameters<ContextGraph["fork"]>, [id: string, lane: string]>>,
  Expect<Equal<ReturnType<ContextGraph["nodes"]>, GraphNode[]>>,
  Expect<Equal<ReturnType<ContextGraph["edges"]>, GraphEdge[]>>,
  Expect<Equal<ReturnType<typeof ContextGraph.restore>, ContextGraph>>,
  Expect<Equal<NodeType, "user_message" | "agent_message" | "task" | "summary" | "system_message" | "developer_message">>,
  Expect<Equal<NodeState, "pending" | "running" | "finished" | "errored">>,
  Expect<Equal<EdgeKind, "sequence" | "dependency" | "branch">>,
  Expect<Equal<GraphNode["content"], Content | undefined>>,
];

const graph = new ContextGraph({ maxNodes: 10 });
const bytes: Uint8Array = graph.snapshot();
ContextGraph.restore(bytes);
graph.addNode({ type: "task", after: ["a", "b"], content: [{ type: "text", text: "x" }] });
// @ts-expect-error a node needs a type
graph.addNode({ content: "x" });
// @ts-expect-error no such kind
graph.addEdge("a", "b", "after");
