import type { AgentInputItem, CallModelInputFilter, Session as AgentsSession } from "@openai/agents";
import type { Session, SessionOptions } from "contextfold";
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

/** A session for the Agents SDK that gives the model a view that fits, and keeps all items whole. */
export interface FoldingSession extends AgentsSession {
  /** The items as the model sees them: a summary replaces what no longer fits. */
  getItems(limit?: number): Promise<AgentInputItem[]>;
  /** All items, as they were stored. */
  allItems(): Promise<AgentInputItem[]>;
  /** Called by the runner after each run. Compacts if that is due; with `force`, always. */
  runCompaction(args?: { force?: boolean }): Promise<null>;
  /** Pass it to the same `run`, to cut tool outputs during the run. */
  readonly callModelInputFilter: CallModelInputFilter;
  /** The engine's session, for its search, pins and report; `null` before the first run. */
  readonly context: Session | null;
}

/**
 * A `session` for `run` of `@openai/agents`. The items are kept whole, in memory or in your `store` (any session of the SDK). The
 * model gets a view that fits, in which a summary replaces older turns. History transactions are passed on to the store.
 *
 * ```js
 * import { run } from "@openai/agents";
 * import { foldingSession } from "contextfold/openai-agents";
 *
 * const session = foldingSession({ model: "gpt-5" });
 * await run(agent, "Why does the build fail?", { session, callModelInputFilter: session.callModelInputFilter });
 * ```
 *
 * The session compacts between runs. During a run the runner does not ask it; there, `callModelInputFilter` cuts tool outputs.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function foldingSession(options: Omit<IntegrationOptions, "store"> & { session?: Session | undefined; sessionId?: string | undefined; store?: AgentsSession | undefined }): FoldingSession;

/**
 * A `callModelInputFilter`: it limits the outputs of function tools in a request to `outputRatio` (default 0.6) of the token limit.
 * The newest outputs stay whole, and the oldest become placeholders. It changes nothing else, because the SDK stores a filter's
 * changes to user messages. No item is moved or removed.
 *
 * ```js
 * const runner = new Runner({ callModelInputFilter: callModelInputFilter({ model: "gpt-5" }) });
 * ```
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function callModelInputFilter(
  options: HookOptions & KeyOption<Parameters<CallModelInputFilter>[0]> & Pick<SessionOptions, "model" | "models" | "contextWindow" | "reservedOutputTokens" | "safetyMargin" | "tokenizer" | "calibrate" | "toolOutputCache"> & { outputRatio?: number | undefined },
): CallModelInputFilter;
