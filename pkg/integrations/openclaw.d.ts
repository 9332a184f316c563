import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";
import type { SessionOptions } from "contextfold";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

/**
 * A message of OpenClaw: with one of pi's roles (`user`, `assistant`, `toolResult`) or one of its own. Declared here, because
 * OpenClaw's package is too large to import its types.
 */
export interface OpenclawMessage {
  /** Who wrote it. */
  role: string;
  /** A text, or blocks. */
  content?: unknown;
}

/** The arguments of `assemble` that are read here. `M`: the messages in OpenClaw's own type. */
export interface AssembleParams<M = OpenclawMessage> {
  /** OpenClaw's session. */
  sessionId: string;
  /** The session's key, which stays the same after `/new`. */
  sessionKey?: string;
  /** The transcript, or the part before the current turn. */
  messages: M[];
  /** Maximum tokens of the whole request. */
  tokenBudget?: number;
  /** The model that is called. */
  model?: string;
  /** Settings of the host, including limits. */
  runtimeSettings?: unknown;
  /** Further information from the host. */
  runtimeContext?: unknown;
}

/** The result of `compact`. Tokens are the engine's counts of the view, before and after. */
export interface CompactResult {
  /** False if it failed. */
  ok: boolean;
  /** Whether the view is smaller than before. */
  compacted: boolean;
  /** Why it is not smaller, or why it failed. */
  reason?: string;
  /** The outcome. */
  result?: { summary?: string; tokensBefore: number; tokensAfter?: number };
}

/** A context engine of OpenClaw. `registerContextEngine` takes a factory of it. */
export interface OpenclawEngine {
  /** Its id, whether it owns compaction, and how it handles turns. */
  readonly info: {
    id: string;
    name: string;
    ownsCompaction: boolean;
    acceptedHostParams: string[];
    transcriptSemantics: { currentTurnFence: "before-current-turn-entry-v1"; turnAdvancementIdempotency: "atomic-idempotent-v1" };
  };
  /** Stores nothing, because `assemble` gets all messages. */
  ingest(params: { sessionId: string; message: unknown }): Promise<{ ingested: boolean }>;
  /** Returns messages that fit the budget; the same array if nothing has to change. */
  assemble<M>(params: AssembleParams<M>): Promise<{ messages: M[]; estimatedTokens: number }>;
  /** Records the usage of the last call. */
  afterTurn(params: { sessionId: string; runtimeContext?: unknown }): Promise<void>;
  /** Recognises a turn that is committed twice. */
  commitTurn(params: { advancementKey: string }): Promise<{ status: "committed" | "duplicate" }>;
  /** Compacts all but the last turn. If a call was refused as too long, also learns the model's limit. */
  compact(params: { sessionId: string; customInstructions?: string; runtimeContext?: unknown; runtimeSettings?: unknown; abortSignal?: AbortSignal }): Promise<CompactResult>;
}

/** The default export of an OpenClaw plugin. */
export interface OpenclawPlugin {
  /** As in `openclaw.plugin.json`, and in `plugins.slots.contextEngine`. */
  id: string;
  /** The displayed name. */
  name: string;
  /** The displayed description. */
  description: string;
  /** The slot that it can fill. */
  kind: "context-engine";
  /** Registers the engine. */
  register(api: { registerContextEngine(id: string, factory: () => OpenclawEngine): void }): void;
}

/**
 * A complete plugin, which registers a `contextEngine` with these options.
 *
 * ```js
 * import { plugin } from "contextfold/openclaw";
 *
 * export default plugin();
 * ```
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once. OpenClaw then reports that it could not load the plugin.
 */
export declare function plugin(options?: IntegrationOptions<AssembleParams> & { id?: string | undefined }): OpenclawPlugin;

/**
 * A factory for OpenClaw's `api.registerContextEngine`: the messages of every model call are made to fit OpenClaw's token budget,
 * minus the room for an answer (`reservedOutputTokens`, by default at most 16,384 tokens and at most a quarter of the budget). The
 * transcript stays whole.
 *
 * ```js
 * api.registerContextEngine("contextfold", contextEngine());
 * ```
 *
 * `id` (default `"contextfold"`) must be the id that it is registered under. A conversation is recognised by OpenClaw's session
 * id, unless a `key` or a `session` is given. A `contextWindow` can only lower the budget.
 *
 * After an internal error, which is logged once, OpenClaw goes on with its own messages. With `strict` the error is thrown, and
 * OpenClaw uses its built-in engine until it is restarted.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function contextEngine(options?: IntegrationOptions<AssembleParams> & { id?: string | undefined }): () => OpenclawEngine;

/** A compaction provider of OpenClaw, for `registerCompactionProvider`. */
export interface OpenclawCompactionProvider {
  /** The id to set as `agents.defaults.compaction.provider`. */
  id: string;
  /** The displayed name. */
  label: string;
  /** One summary for all messages. Rejects if there is none; OpenClaw then writes its own. */
  summarize(params: { messages: unknown[]; previousSummary?: string; customInstructions?: string; signal?: AbortSignal }): Promise<string>;
}

/**
 * For OpenClaw's built-in engine: writes its compaction summaries, without a model unless you pass `summarize`.
 *
 * ```js
 * api.registerCompactionProvider(compactionProvider());
 * ```
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a compaction.
 */
export declare function compactionProvider(options?: SessionOptions & { id?: string | undefined; label?: string | undefined }): OpenclawCompactionProvider;
