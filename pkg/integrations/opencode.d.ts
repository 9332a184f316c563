import type { Hooks, Plugin } from "@opencode-ai/plugin" with { "resolution-mode": "import" };
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

/** What a `key` or `session` function is called with. */
export interface OpencodeCall {
  /** opencode's session. */
  sessionID: string;
  /** Its messages, each `{ info, parts }`, as opencode is about to send them. */
  messages: Parameters<NonNullable<Hooks["experimental.chat.messages.transform"]>>[1]["messages"];
}

/**
 * A plugin for opencode: the messages of every model call are made to fit, also those that opencode is about
 * to summarize. opencode's own session keeps all of them.
 *
 * ```js
 * // .opencode/plugin/contextfold.js
 * import { plugin } from "contextfold/opencode";
 *
 * export default plugin();
 * ```
 *
 * The window is that of the model that opencode asks, less what it reserves for an answer (the model's `limit.output`, at most 32,000
 * tokens and half of the window), unless the options set one. A conversation is recognised by opencode's session id, unless the
 * options have a `key` or a `session`.
 *
 * An error inside is logged once, and opencode goes on with its own messages; with `strict` it is thrown, and the run fails.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once. opencode says then that it could not load the plugin.
 */
export declare function plugin(options?: IntegrationOptions<OpencodeCall>): Plugin;
