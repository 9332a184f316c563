/** What `compactionHooks` takes. */
export interface CompactionHooksOptions {
  /** The most tokens of the list, approximately; at least 100. Default 2000: Claude Code shows the model at most 10,000 characters. */
  maxTokens?: number | undefined;
  /** Default false: if no list can be made, the agent goes on without it. True: the hook throws the error, and the SDK reports it. */
  strict?: boolean | undefined;
  /** Called for each failure, instead of logging the first on the console. */
  onError?: ((error: unknown) => void) | undefined;
}

/** Hooks for `query()` of the Claude Agent SDK. */
export interface CompactionHooks {
  /** One hook, which returns the list of facts as additional context. */
  SessionStart: {
    /** Runs only after a compaction. */
    matcher: "compact";
    /** The functions that the SDK calls. */
    hooks: ((input: { transcript_path: string }) => Promise<{ hookSpecificOutput?: { hookEventName: "SessionStart"; additionalContext: string } }>)[];
  }[];
}

/**
 * Hooks that give the model a list of facts after each compaction by Claude Code: the task and the user's rules word for word,
 * files that were read and written, errors, names, open work. The list is made without a model, from the session's transcript,
 * which has all messages in full. Node only.
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
