import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";
import type { SessionOptions } from "contextfold";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

/** A message of OpenClaw's: pi's `user`, `assistant` or `toolResult`, or one of its own roles. Declared here, because OpenClaw's package is too large to import its types. */
export interface OpenclawMessage {
  /** Who says it. */
  role: string;
  /** A text, or blocks. */
  content?: unknown;
}

/** The arguments of `assemble` that are read here. */
export interface AssembleParams {
  /** OpenClaw's session. */
  sessionId: string;
  /** Its key, which outlives `/new`. */
  sessionKey?: string;
  /** The transcript, or its part before the turn. */
  messages: any[];
  /** Tokens for the whole request. */
  tokenBudget?: number;
  /** The model that is asked. */
  model?: string;
  /** Limits among other settings. */
  runtimeSettings?: any;
  /** What else the host knows. */
  runtimeContext?: any;
}

/** What `compact` answers. Tokens are the engine's counts of the view, before and after. */
export interface CompactResult {
  /** False where it failed. */
  ok: boolean;
  /** Whether the view is smaller than before. */
  compacted: boolean;
  /** Why not. */
  reason?: string;
  /** What it came to. */
  result?: { summary?: string; tokensBefore: number; tokensAfter?: number };
}

/** OpenClaw's context engine: what `registerContextEngine` takes a factory of. */
export interface OpenclawEngine {
  /** Its id, that it owns compaction, and how it handles turns. */
  readonly info: {
    id: string;
    name: string;
    ownsCompaction: boolean;
    acceptedHostParams: string[];
    transcriptSemantics: { currentTurnFence: "before-current-turn-entry-v1"; turnAdvancementIdempotency: "atomic-idempotent-v1" };
  };
  /** Stores nothing: `assemble` brings all. */
  ingest(params: { sessionId: string; message: any }): Promise<{ ingested: boolean }>;
  /** The messages that fit the budget; the same array where nothing has to change. */
  assemble(params: AssembleParams): Promise<{ messages: any[]; estimatedTokens: number }>;
  /** Records what the last call took. */
  afterTurn(params: { sessionId: string; runtimeContext?: any }): Promise<void>;
  /** Recognises a turn that comes a second time. */
  commitTurn(params: { advancementKey: string }): Promise<{ status: "committed" | "duplicate" }>;
  /** Folds all but the last turn. After a refusal as too long, learns how much the model takes. */
  compact(params: { sessionId: string; customInstructions?: string; runtimeContext?: any; runtimeSettings?: any; abortSignal?: AbortSignal }): Promise<CompactResult>;
}

/** What a plugin of OpenClaw's exports by default. */
export interface OpenclawPlugin {
  /** As in `openclaw.plugin.json`, and in `plugins.slots.contextEngine`. */
  id: string;
  /** For people. */
  name: string;
  /** For people. */
  description: string;
  /** The slot that it can have. */
  kind: "context-engine";
  /** Registers the engine. */
  register(api: { registerContextEngine(id: string, factory: any): void }): void;
}

/**
 * A whole plugin, which registers a `contextEngine` of these options.
 *
 * ```js
 * import { plugin } from "contextfold/openclaw";
 *
 * export default plugin();
 * ```
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once. OpenClaw says then that it could not load the plugin.
 */
export declare function plugin(options?: IntegrationOptions<AssembleParams> & { id?: string }): OpenclawPlugin;

/**
 * A factory for OpenClaw's `api.registerContextEngine`: the messages of every model call are made to fit OpenClaw's token budget, less what an
 * answer may take (at most 16,384 tokens and a quarter of the budget; `reservedOutputTokens` says otherwise). The transcript stays whole.
 *
 * ```js
 * api.registerContextEngine("contextfold", contextEngine());
 * ```
 *
 * `id` (default `"contextfold"`) must be the one that it is registered under. A conversation is recognised by OpenClaw's session
 * id, unless a `key` or a `session` is given. A `contextWindow` can only lower the budget.
 *
 * An error inside is logged once, and OpenClaw goes on with its own messages; with `strict` it is thrown, and OpenClaw goes on
 * with its built-in engine until it is restarted.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function contextEngine(options?: IntegrationOptions<AssembleParams> & { id?: string }): () => OpenclawEngine;

/** OpenClaw's compaction provider: what `registerCompactionProvider` takes. */
export interface OpenclawCompactionProvider {
  /** What `agents.defaults.compaction.provider` names. */
  id: string;
  /** For people. */
  label: string;
  /** One summary for all messages. Rejects if there is none; OpenClaw then writes its own. */
  summarize(params: { messages: unknown[]; previousSummary?: string; customInstructions?: string; signal?: AbortSignal }): Promise<string>;
}

/**
 * For OpenClaw's built-in engine: writes its compactions, without a model unless you give `summarize`.
 *
 * ```js
 * api.registerCompactionProvider(compactionProvider());
 * ```
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a compaction.
 */
export declare function compactionProvider(options?: SessionOptions & { id?: string; label?: string }): OpenclawCompactionProvider;
