import type { Hooks, Plugin } from "@opencode-ai/plugin" with { "resolution-mode": "import" };
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

/** The argument of a `key` or `session` function. */
export interface OpencodeCall {
  /** opencode's session. */
  sessionID: string;
  /** Its messages, each `{ info, parts }`, as opencode is about to send them. */
  messages: Parameters<NonNullable<Hooks["experimental.chat.messages.transform"]>>[1]["messages"];
}

/**
 * A plugin for opencode: the messages of every model call are made to fit, including calls by which opencode writes a summary.
 * opencode's own session keeps all messages.
 *
 * ```js
 * // .opencode/plugin/contextfold.js
 * import { plugin } from "contextfold/opencode";
 *
 * export default plugin();
 * ```
 *
 * Unless the options set a window, it is that of the model that opencode calls, minus what opencode reserves for an answer (the
 * model's `limit.output`, at most 32,000 tokens and at most half of the window). A conversation is recognised by opencode's session
 * id, unless the options have a `key` or a `session`.
 *
 * After an internal error, which is logged once, opencode goes on with its own messages. With `strict` the error is thrown, and the
 * run fails.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once. opencode then reports that it could not load the plugin.
 */
export declare function plugin(options?: IntegrationOptions<OpencodeCall>): Plugin;
