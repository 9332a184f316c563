// Compiled, not run: what a user of `@langchain/langgraph` writes.

import { Annotation, END, MessagesAnnotation, START, StateGraph, messagesStateReducer } from "@langchain/langgraph";
import { ToolNode, createReactAgent } from "@langchain/langgraph/prebuilt";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { Session } from "contextfold";
import { compactionNode, modelCall, preModelHook, tools } from "contextfold/langgraph";

declare const llm: BaseChatModel;
const session = new Session({ contextWindow: 128_000 });
const fitting = modelCall({ model: "gpt-5", tools: tools(session), key: ({ config, messages }) => (messages.length > 0 ? config?.configurable?.thread_id : undefined) });
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("compact", compactionNode({ session, strict: true }))
  .addNode("model", async (state, config) => ({ messages: [await fitting(state.messages, (messages) => llm.invoke(messages, config), config)] }))
  .addNode("tools", new ToolNode(tools(session)))
  .addEdge(START, "compact")
  .addEdge("compact", "model")
  .addConditionalEdges("model", () => END)
  .compile();
export const agents = [
  createReactAgent({ llm, tools: tools(session), preModelHook: preModelHook({ contextWindow: 128_000 }) }),
  createReactAgent({ llm, tools: tools(session), preModelHook: compactionNode({ session }) }),
];
const Chat = Annotation.Root({ chat: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }) });
export const other = new StateGraph(Chat).addNode("compact", compactionNode({ session, messagesKey: "chat" })).addEdge(START, "compact").compile();

// @ts-expect-error only the nodes have this option
modelCall({ contextWindow: 128_000, messagesKey: "chat" });
