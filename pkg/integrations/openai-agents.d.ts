import type { AgentInputItem, CallModelInputFilter, Session as AgentsSession } from "@openai/agents";
import type { Session, SessionOptions } from "contextfold";
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

/** A session of the SDK's that gives the model a view that fits, and keeps all items whole. */
export interface FoldingSession extends AgentsSession {
  /** The items as the model sees them: a summary stands for what no longer fits. */
  getItems(limit?: number): Promise<AgentInputItem[]>;
  /** All items, as they were stored. */
  allItems(): Promise<AgentInputItem[]>;
  /** Called by the runner after each run: folds if that is due; with `force`, in any case. */
  runCompaction(args?: { force?: boolean }): Promise<null>;
  /** For the same run: it cuts tool outputs while the run goes on. */
  readonly callModelInputFilter: CallModelInputFilter;
  /** The engine's session: to search, to pin in, for its report; `null` before the first run. */
  readonly context: Session | null;
}

/**
 * A `session` for `run` of `@openai/agents`. The items are kept whole, in memory or in your `store` (any session of the SDK). The
 * model gets a view that fits: a summary stands for older turns. History transactions are passed on to the store.
 *
 * ```js
 * import { run } from "@openai/agents";
 * import { foldingSession } from "contextfold/openai-agents";
 *
 * const session = foldingSession({ model: "gpt-5" });
 * await run(agent, "Why does the build fail?", { session, callModelInputFilter: session.callModelInputFilter });
 * ```
 *
 * The session folds between runs. Within a run the runner does not ask it: there, `callModelInputFilter` cuts tool outputs.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function foldingSession(options: Omit<IntegrationOptions, "store"> & { session?: Session; sessionId?: string; store?: AgentsSession }): FoldingSession;

/**
 * A `callModelInputFilter`: the outputs of function tools in a request take at most `outputRatio` (0.6) of the limit, the newest ones
 * whole and the oldest as placeholders. It touches nothing else, because the SDK stores what a filter changes in a user's message. No
 * item leaves its place.
 *
 * ```js
 * const runner = new Runner({ callModelInputFilter: callModelInputFilter({ model: "gpt-5" }) });
 * ```
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function callModelInputFilter(
  options: HookOptions & KeyOption<Parameters<CallModelInputFilter>[0]> & Pick<SessionOptions, "model" | "models" | "contextWindow" | "reservedOutputTokens" | "safetyMargin" | "tokenizer" | "calibrate" | "toolOutputCache"> & { outputRatio?: number },
): CallModelInputFilter;
