import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };
export { tools } from "./shared/langchain-tools.js";

/** The argument of `key` and `session`, if they are functions. */
export interface GraphCall {
  /** The incoming messages. */
  messages: BaseMessage[];
  /** The node's configuration, if you passed it to the hook: `config.configurable.thread_id` is the thread. */
  config?: RunnableConfig | undefined;
}

/** What the model gets besides the messages, so that it can be counted. */
export interface BesideMessages {
  /** The tools bound to the model. */
  tools?: readonly object[] | undefined;
  /** The system prompt, if it is not in the messages. */
  instructions?: string | undefined;
}

/** Options of a node: which key of the state holds the messages. */
export interface InState<K extends string> {
  /** Default `"messages"`. */
  messagesKey?: K | undefined;
}

/**
 * A function for a node that calls a model: it makes the call with messages that fit, and returns the answer. The state is not
 * touched. If the call is still refused as too long, it is retried once with fewer messages. The usage of the answer
 * (`usage_metadata`) corrects the counts.
 *
 * ```js
 * import { modelCall } from "contextfold/langgraph";
 *
 * const fitting = modelCall({ contextWindow: 128_000 });
 * const callModel = async (state, config) => ({
 *   messages: [await fitting(state.messages, (messages) => model.invoke(messages, config), config)],
 * });
 * ```
 *
 * `messages` may begin with system messages, which are kept. `config` is the node's, for its abort signal and its thread id.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function modelCall(
  options: IntegrationOptions<GraphCall> & BesideMessages,
): <T>(messages: BaseMessage[], call: (messages: BaseMessage[]) => T | PromiseLike<T>, config?: RunnableConfig) => Promise<T>;

/**
 * A `preModelHook` for `createReactAgent` of `@langchain/langgraph/prebuilt`: it returns `llmInputMessages` that fit. The messages
 * in the state stay whole.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function preModelHook<K extends string = "messages">(
  options: IntegrationOptions<GraphCall> & BesideMessages & InState<K>,
): (state: { [key in K]: BaseMessage[] }, config?: RunnableConfig) => Promise<{ llmInputMessages: BaseMessage[] }>;

/**
 * A node that compacts the state itself, so that checkpoints do not grow. If the view has changed, its update replaces all
 * messages of the state with those of the view; otherwise the update is empty. Unchanged messages stay the same objects, and cut
 * ones keep their ids. The state's key needs LangGraph's reducer for messages.
 *
 * Removed messages are still in the session and in earlier checkpoints; after `session.unfold`, the node puts them back. Do not
 * share one session between this node and `modelCall`.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function compactionNode<K extends string = "messages">(
  options: IntegrationOptions<GraphCall> & BesideMessages & InState<K>,
): (state: { [key in K]: BaseMessage[] }, config?: RunnableConfig) => Promise<{ [key in K]?: BaseMessage[] }>;
