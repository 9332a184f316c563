import type { StreamFn } from "@earendil-works/pi-agent-core" with { "resolution-mode": "import" };
import type { ContextEvent, ExtensionContext, ExtensionFactory } from "@earendil-works/pi-coding-agent" with { "resolution-mode": "import" };
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

/** The argument of a `key` or `session` function of `extension`: pi's `context` event and the context that pi passes to its handlers. */
export interface PiCall {
  /** The event; its `messages` are pi's. */
  event: ContextEvent;
  /** pi's `sessionManager`, `model` and the rest. */
  ctx: ExtensionContext;
}

/**
 * An extension for pi's coding agent: the messages of every model call are made to fit. pi's session file keeps all of them. When
 * pi compacts (`/compact`, its own threshold, a call that was refused as too long), this extension writes the summary. A refused
 * call is then retried with fewer messages.
 *
 * ```ts
 * // ~/.pi/agent/extensions/contextfold.ts
 * import { extension } from "contextfold/pi";
 *
 * export default extension();
 * ```
 *
 * Unless the options set a window, it is that of the model that pi calls, minus the room for an answer (the model's `maxTokens`, at
 * most 16,384 tokens and at most a quarter of the window). A conversation is recognised by pi's session id, unless the options have
 * a `key` or a `session`.
 *
 * After an internal error, which is logged once, pi goes on with its own messages. With `strict` the error is thrown: pi shows it
 * as the extension's error, and still goes on.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function extension(options?: IntegrationOptions<PiCall>): ExtensionFactory;

/** The argument of a `key` or `session` function of `fittingStream`: the arguments of the agent's stream function. */
export interface PiRequest {
  /** pi's model: `id`, `provider`, `contextWindow` and the rest. */
  model: Parameters<StreamFn>[0];
  /** What is about to be sent: `messages`, and in versions before 1 also `systemPrompt` and `tools`. */
  context: Parameters<StreamFn>[1];
  /** `sessionId`, `signal` and the rest. */
  options: Parameters<StreamFn>[2];
}

/**
 * Wraps a stream function for `Agent` of `pi-agent-core`: the messages of every request are made to fit; the agent's state stays
 * whole. If a request is still refused as too long, a smaller one is sent before the agent sees the refusal. The window is the
 * model's, as in `extension`.
 *
 * ```js
 * import { Agent } from "@earendil-works/pi-agent-core" with { "resolution-mode": "import" };
 * import { fittingStream } from "contextfold/pi";
 *
 * const agent = new Agent({ initialState: { model, tools }, streamFn: fittingStream(streamSimple) });
 * ```
 *
 * With `strict`, an internal error rejects the call, and the agent's run ends with that error.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function fittingStream(streamFn: StreamFn, options?: IntegrationOptions<PiRequest>): StreamFn;
