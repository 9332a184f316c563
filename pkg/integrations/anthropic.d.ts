import type Anthropic from "@anthropic-ai/sdk";
import type { Middleware } from "@anthropic-ai/sdk";
import type { Summarize } from "contextfold";
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

declare module "contextfold" {
  interface EntryTypes {
    /** A message of `@anthropic-ai/sdk`. */
    anthropic: Anthropic.MessageParam;
    /** A block of the system prompt, of `@anthropic-ai/sdk`. */
    "anthropic-system": Anthropic.TextBlockParam;
    /** A tool definition of `@anthropic-ai/sdk`. */
    "anthropic-tool": Anthropic.Tool;
  }
}

/** Options of an integration, and the number of prompt-cache marks for each request. */
export type AnthropicOptions = IntegrationOptions<object> & {
  /**
   * How many `cache_control` marks to set (0 to 4; default 0). They are put at the ends of parts that stay the same from call to
   * call, as by `session.view("anthropic", { cacheMarks })`. Your own marks stay; a request never has more than four in all,
   * including one on the body itself.
   */
  cacheMarks?: number | undefined;
};

/**
 * A middleware for the client: the `messages` of every request to `/v1/messages` (`create`, `stream`, `beta`, the tool runner) are
 * made to fit. If a request is still refused as too long, a smaller one is sent once. Your own list stays whole.
 *
 * ```js
 * import Anthropic from "@anthropic-ai/sdk";
 * import { middleware } from "contextfold/anthropic";
 *
 * const client = new Anthropic({ middleware: [middleware({ model: "claude-opus-5-5", cacheMarks: 4 })] });
 * ```
 *
 * Anthropic's own `compaction` blocks are sent back unchanged, and the view begins at the newest one. If Anthropic holds the
 * conversation (`thread`), the request is sent unchanged and this is reported as a failure; so the tool runner needs
 * `thread: false`.
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
 * cannot remove anything from it.
 */
export declare function toolRunner<P extends Parameters<Anthropic["beta"]["messages"]["toolRunner"]>[0] & { thread: false }>(
  client: Anthropic,
  params: P,
  options: AnthropicOptions,
  requestOptions?: Parameters<Anthropic["beta"]["messages"]["toolRunner"]>[1],
): P extends { stream: true } ? import("@anthropic-ai/sdk/lib/tools/BetaToolRunner").BetaToolRunner<true> : import("@anthropic-ai/sdk/lib/tools/BetaToolRunner").BetaToolRunner<false>;

/**
 * A `summarize` that asks Anthropic to compact the conversation, by `compaction: { type: "summarize" }` under the beta
 * `compact-2026-09-04` (docs: Compaction on demand).
 *
 * ```js
 * import Anthropic from "@anthropic-ai/sdk";
 * import { Session } from "contextfold";
 * import { providerCompaction } from "contextfold/anthropic";
 *
 * const session = new Session({ model: "claude-opus-5-5", summarize: providerCompaction("anthropic", { client: new Anthropic() }) });
 * ```
 *
 * Anthropic's compaction comes first in views of the format `anthropic`, unchanged, next to the ledger. Views of other formats have
 * its text. The history keeps the messages, for search, `unfold` and other providers.
 *
 * Every request whose view begins with the compaction needs the beta, too. The middleware adds it; in a loop of your own,
 * call `client.beta.messages.create({ betas: ["compact-2026-09-04"], … })`.
 *
 * @param options.client of `@anthropic-ai/sdk`; it may have our middleware
 * @param options.model the model that compacts, if `compaction.model` names none
 * @param options.instructions replaces Anthropic's own prompt for the summary
 * @throws {ContextError} `INVALID_CONFIG` if the client cannot compact. A failed compaction counts as a failed `summarize`: see
 * `compaction.onFailure`.
 */
export declare function providerCompaction(provider: "anthropic", options: { client: Anthropic; model?: string | undefined; instructions?: string | undefined }): Summarize;
