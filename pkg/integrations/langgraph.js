// Custom graphs with LangGraph (`@langchain/langgraph` 1): a model call that fits, for use in a node; a hook before the model of
// `createReactAgent`; and a node that compacts the state itself. Does not import LangGraph; its messages are those of
// `@langchain/core`.

import { RemoveMessage } from "@langchain/core/messages";
import { Keeper } from "./shared/keeper.js";
import { calledFitting, definitionsOf, joined, parted, usageOf } from "./shared/langchain-calls.js";
import { langchainMessages } from "./shared/langchain-messages.js";

export { tools } from "./shared/langchain-tools.js";

const FORMAT = "openai-chat";

/** `REMOVE_ALL_MESSAGES` of LangGraph: its reducer drops all messages before it. */
const ALL = "__remove_all__";

/** See langgraph.d.ts. */
export function modelCall(options) {
  const { keeper, aboutOf } = opened("langgraph modelCall", options);
  return (messages, call, config) =>
    calledFitting(keeper, messages, { about: aboutOf(messages, config), signal: config?.signal }, (list) => call(list === messages ? messages : withOneInstruction(list)));
}

/** See langgraph.d.ts. */
export function preModelHook(options) {
  const { keeper, messagesKey, aboutOf, usageBefore } = opened("langgraph preModelHook", options, ["messagesKey"]);
  return async (state, config) => {
    const messages = state[messagesKey];
    const { list } = await keeper.fit(messages, aboutOf(messages, config, usageBefore));
    return { llmInputMessages: withOneInstruction(list) };
  };
}

/** See langgraph.d.ts. */
export function compactionNode(options) {
  const { keeper, messagesKey, aboutOf, usageBefore } = opened("langgraph compactionNode", options, ["messagesKey"]);
  return async (state, config) => {
    const messages = state[messagesKey];
    const { list } = await keeper.fit(messages, aboutOf(messages, config, usageBefore));
    if (list === messages) return {};
    // Instructions that the session itself adds at the beginning (its memory) are added anew each time, so they are not stored.
    const stored = new Set(messages);
    const [instructions, rest] = parted(list);
    return { [messagesKey]: [new RemoveMessage({ id: ALL }), ...instructions.filter((message) => stored.has(message)), ...rest] };
  };
}

function opened(name, options, more = []) {
  const keeper = new Keeper(name, FORMAT, options, { mirror: langchainMessages(), more: ["tools", "instructions", ...more] });
  const { tools, instructions, messagesKey = "messages" } = keeper.options;
  const recorded = new Set();
  return {
    keeper,
    messagesKey,
    aboutOf: (messages, config, usage) => async () => ({ header: instructions, tools: await definitionsOf(tools), usage: usage?.(messages), signal: config?.signal, args: { messages, config } }),
    /** For nodes that do not call the model themselves: the usage of the last call, from the newest answer. Returned once per answer. */
    usageBefore: (messages) => {
      const answer = messages.findLast((message) => message.getType() === "ai");
      if (!answer || recorded.has(answer.id ?? answer)) return undefined;
      if (recorded.size >= MAX_RECORDED) recorded.delete(recorded.values().next().value);
      recorded.add(answer.id ?? answer);
      return usageOf(answer);
    },
  };
}

const MAX_RECORDED = 100;

/** Merges the system messages at the beginning (such as a session's memory) into one, because some models accept only one. */
function withOneInstruction(list) {
  const [[own, ...more], rest] = parted(list);
  return more.length === 0 ? list : [joined(own, more), ...rest];
}
