import type Anthropic from "@anthropic-ai/sdk";
import type { Middleware } from "@anthropic-ai/sdk";
import type { Summarize } from "contextfold";
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

declare module "contextfold" {
  interface EntryTypes {
    /** Of `@anthropic-ai/sdk`. */
    anthropic: Anthropic.MessageParam;
    /** Of `@anthropic-ai/sdk`: a block of the system prompt. */
    "anthropic-system": Anthropic.TextBlockParam;
    /** Of `@anthropic-ai/sdk`: a tool's definition. */
    "anthropic-tool": Anthropic.Tool;
  }
}

/** Options of an integration, and how many marks for the prompt cache are put into each request. */
export type AnthropicOptions = IntegrationOptions<object> & {
  /**
   * How many `cache_control` marks (0 to 4; default 0) are set, where parts end that stay the same from call to call, as
   * `session.view("anthropic", { cacheMarks })` does it. Your own stay, and there are never more than four in a request,
   * including one on the body itself.
   */
  cacheMarks?: number | undefined;
};

/**
 * A middleware for the client: the `messages` of every request to `/v1/messages` (`create`, `stream`, `beta`, the tool runner) are
 * made to fit. A request that is still refused as too long is sent once more, smaller. Your own list stays whole.
 *
 * ```js
 * import Anthropic from "@anthropic-ai/sdk";
 * import { middleware } from "contextfold/anthropic";
 *
 * const client = new Anthropic({ middleware: [middleware({ model: "claude-opus-5-5", cacheMarks: 4 })] });
 * ```
 *
 * `compaction` blocks of Anthropic's own stay where they are. A request of a conversation that Anthropic holds (`thread`) goes
 * out as it is, and this is reported as a failure: the tool runner needs `thread: false`.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a request.
 */
export declare function middleware(options: AnthropicOptions): Middleware;

/**
 * `client.beta.messages.toolRunner`, with requests that fit. `runner.params.messages` stays whole.
 *
 * ```js
 * import { toolRunner } from "contextfold/anthropic";
 *
 * const runner = toolRunner(client, { model, max_tokens: 4096, messages, tools, thread: false }, { model: "claude-opus-5-5" });
 * const answer = await runner;
 * ```
 *
 * @throws {ContextError} `INVALID_ARGUMENT` without `thread: false`: by default Anthropic holds the conversation, and a client
 * can take nothing out of it.
 */
export declare function toolRunner<P extends Parameters<Anthropic["beta"]["messages"]["toolRunner"]>[0] & { thread: false }>(
  client: Anthropic,
  params: P,
  options: AnthropicOptions,
  requestOptions?: Parameters<Anthropic["beta"]["messages"]["toolRunner"]>[1],
): P extends { stream: true } ? import("@anthropic-ai/sdk/lib/tools/BetaToolRunner").BetaToolRunner<true> : import("@anthropic-ai/sdk/lib/tools/BetaToolRunner").BetaToolRunner<false>;

/**
 * A `summarize` that asks Anthropic to compact the conversation itself, by `compaction: { type: "summarize" }` under the beta `compact-2026-09-04` (docs: Compaction on demand).
 *
 * ```js
 * import Anthropic from "@anthropic-ai/sdk";
 * import { Session } from "contextfold";
 * import { providerCompaction } from "contextfold/anthropic";
 *
 * const session = new Session({ model: "claude-opus-5-5", summarize: providerCompaction("anthropic", { client: new Anthropic() }) });
 * ```
 *
 * What Anthropic wrote stands first in views of `anthropic`, unchanged, with the engine's record of facts beside it. The history keeps the
 * messages, for search, `unfold` and other providers: views of other formats have the text of that compaction.
 *
 * Each request whose view begins with it needs the beta, too. The middleware adds it; in a loop of your own,
 * call `client.beta.messages.create({ betas: ["compact-2026-09-04"], … })`.
 *
 * @param options.client of `@anthropic-ai/sdk`; it may have our middleware
 * @param options.model the model that compacts, if `compaction.model` names none
 * @param options.instructions replaces Anthropic's own prompt for the summary
 * @throws {ContextError} `INVALID_CONFIG` for a client that cannot compact. A compaction that fails is a `summarize` that fails: see
 * `compaction.onFailure`.
 */
export declare function providerCompaction(provider: "anthropic", options: { client: Anthropic; model?: string | undefined; instructions?: string | undefined }): Summarize;
