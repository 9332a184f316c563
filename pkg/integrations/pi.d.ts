import type { StreamFn } from "@earendil-works/pi-agent-core" with { "resolution-mode": "import" };
import type { ContextEvent, ExtensionContext, ExtensionFactory } from "@earendil-works/pi-coding-agent" with { "resolution-mode": "import" };
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

/** What a `key` or `session` function of `extension` is called with: pi's `context` event, and what pi hands to its handlers. */
export interface PiCall {
  /** The event; its `messages` are pi's. */
  event: ContextEvent;
  /** pi's `sessionManager`, `model` and the rest. */
  ctx: ExtensionContext;
}

/**
 * An extension for pi's coding agent: the messages of every model call are made to fit. pi's session file keeps all of them. When
 * pi compacts (`/compact`, its own threshold, a call that was refused as too long), this extension writes the summary, and a
 * refused call is made again, smaller.
 *
 * ```ts
 * // ~/.pi/agent/extensions/contextfold.ts
 * import { extension } from "contextfold/pi";
 *
 * export default extension();
 * ```
 *
 * The window is that of the model that pi asks, less what an answer may take (the model's `maxTokens`, at most 16,384 tokens and
 * a quarter of the window), unless the options set one. A conversation is recognised by pi's session id, unless the options have
 * a `key` or a `session`.
 *
 * An error inside is logged once, and pi goes on with its own messages. With `strict` it is thrown: pi shows it as the
 * extension's error, and still goes on.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function extension(options?: IntegrationOptions<PiCall>): ExtensionFactory;

/** What a `key` or `session` function of `fittingStream` is called with: what the agent calls its stream function with. */
export interface PiRequest {
  /** pi's model: `id`, `provider`, `contextWindow` and the rest. */
  model: Parameters<StreamFn>[0];
  /** What is sent: `messages`, and in versions before 1 `systemPrompt` and `tools`. */
  context: Parameters<StreamFn>[1];
  /** `sessionId`, `signal` and the rest. */
  options: Parameters<StreamFn>[2];
}

/**
 * A stream function for `Agent` of `pi-agent-core`, around another: the messages of every request are made to fit; the agent's state stays
 * whole. A request that is still refused as too long is sent again, smaller, before the agent sees the refusal. The window is the model's,
 * as in `extension`.
 *
 * ```js
 * import { Agent } from "@earendil-works/pi-agent-core" with { "resolution-mode": "import" };
 * import { fittingStream } from "contextfold/pi";
 *
 * const agent = new Agent({ initialState: { model, tools }, streamFn: fittingStream(streamSimple) });
 * ```
 *
 * With `strict`, an error inside rejects the call, and the agent's run ends with it.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function fittingStream(streamFn: StreamFn, options?: IntegrationOptions<PiRequest>): StreamFn;
