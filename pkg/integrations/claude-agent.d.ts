/** What `compactionHooks` takes. */
export interface CompactionHooksOptions {
  /** About how long the record is, in tokens. Default 2000. */
  maxTokens?: number | undefined;
  /** Default false: if no record can be made, the agent goes on without it. True: the error is thrown inside the hook, and the SDK reports it. */
  strict?: boolean | undefined;
  /** Called for each failure, instead of logging the first on the console. */
  onError?: ((error: unknown) => void) | undefined;
}

/** Hooks for `query()` of the Claude Agent SDK. */
export interface CompactionHooks {
  /** One hook, which gives the record as additional context. */
  SessionStart: {
    /** Only after a compaction. */
    matcher: "compact";
    /** What the SDK calls. */
    hooks: ((input: { transcript_path: string }) => Promise<{ hookSpecificOutput?: { hookEventName: "SessionStart"; additionalContext: string } }>)[];
  }[];
}

/**
 * Hooks that give the model a record after each compaction that Claude Code makes by itself: the task and the user's rules word
 * for word, files that were read and written, errors, names, open work. The record is made without a model from the session's
 * transcript, which has all messages in full. Node only.
 *
 * ```js
 * import { query } from "@anthropic-ai/claude-agent-sdk";
 * import { compactionHooks } from "contextfold/claude-agent";
 *
 * for await (const message of query({ prompt, options: { hooks: compactionHooks() } })) console.log(message);
 * ```
 *
 * @throws {ContextError} `INVALID_CONFIG`, `INVALID_ARGUMENT` for wrong options, at once.
 */
export declare function compactionHooks(options?: CompactionHooksOptions): CompactionHooks;
