import type { Session, Summarize } from "contextfold";
import type OpenAI from "openai";
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

declare module "contextfold" {
  interface EntryTypes {
    /** An input item of `openai`. */
    "openai-responses": OpenAI.Responses.ResponseInputItem;
    /** A message of `openai`. */
    "openai-chat": OpenAI.Chat.ChatCompletionMessageParam;
    /** A tool definition of `openai`. */
    "openai-responses-tool": OpenAI.Responses.FunctionTool;
    /** A tool definition of `openai`. */
    "openai-chat-tool": OpenAI.Chat.ChatCompletionFunctionTool;
  }
}

/** Options of a request, besides its body. */
export interface FitOptions {
  /** Aborts a running compaction. */
  signal?: AbortSignal | undefined;
  /** The usage of the previous answer, which corrects the counts. */
  usage?: unknown;
}

/**
 * For a loop of your own: returns a request body, of the Responses API or of Chat Completions, with a list that fits. Keep your
 * own list whole, and pass all of it each time.
 *
 * ```js
 * import { fit } from "contextfold/openai";
 *
 * const fitting = fit({ model: "gpt-5" });
 * const response = await client.responses.create(await fitting({ model: "gpt-5", tools, input }));
 * input.push(...response.output);
 * ```
 *
 * The service's own `compaction` items are sent back unchanged, and the view begins at the newest one. A body with
 * `previous_response_id` or `conversation` is returned unchanged, and this is reported as a failure, because nothing can be removed
 * from a conversation that the service holds.
 *
 * In Chat Completions, calls that have no id, or the same one, get ids of their own, and so do their outputs: the order decides which
 * belongs to which. Some servers (llama.cpp, LM Studio, gateways to Gemini) make such calls.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function fit(options: IntegrationOptions<object>): <B extends object>(body: B, options?: FitOptions) => Promise<B>;

/**
 * A `fetch` for `new OpenAI({ fetch })`, for loops that you do not control (`runTools`, a framework): the list in every request to
 * `/responses` and `/chat/completions`, streamed or not, is made to fit. If a request is still refused as too long, a smaller one
 * is sent once.
 *
 * It reads a body that is a text, as SDKs pass it, or that of a `Request`. A request with another body is sent unchanged, and this is
 * reported as a failure.
 *
 * ```js
 * import { fittingFetch } from "contextfold/openai";
 *
 * const client = new OpenAI({ fetch: fittingFetch({ model: "gpt-5" }) });
 * ```
 *
 * @param options `fetch`: the function that sends the requests; default: the global `fetch`.
 */
export declare function fittingFetch(options: IntegrationOptions<object> & { fetch?: typeof fetch | undefined }): (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * Runs a tool. `args`: the parsed JSON arguments, or the input text of a custom tool. Text and content parts are sent as they are,
 * any other result as JSON. If it throws, the model gets the error. (`any`, because only you know what the tool's schema promises.)
 */
export type Execute = (args: any, about: { call: object; signal?: AbortSignal }) => unknown;

/** Options of a loop, besides a session or a session's options. `R`: an answer, `E`: an event of its stream. */
export type LoopOptions<R, E = unknown> = IntegrationOptions & {
  /**
   * The conversation to continue. Default: a new one, which is returned. If the body's list begins like the session's history or
   * view, and has an answer, it is taken as the whole conversation (without an answer only if the session has none yet, either);
   * any other list, or a text, is added at the end of the session. An empty list adds nothing: calls at the end of the session that
   * have no output, because an earlier run was aborted or killed, are run first.
   */
  session?: Session | undefined;
  /** The tools, by name; or one function for all. A call of an unknown tool is answered with an error. */
  execute?: { [name: string]: Execute } | ((name: string, args: any, about: { call: object; signal?: AbortSignal }) => unknown) | undefined;
  /** Maximum number of model calls, at least 1; default 100. */
  maxSteps?: number | undefined;
  /** Aborts the loop, its requests, its tools and a running compaction. */
  signal?: AbortSignal | undefined;
  /**
   * Called with every whole answer, also with `stream: true`. `step` counts from 1. If calls have no id, or the same one, they have
   * new ids here, as in the list and for the tools.
   */
  onResponse?: ((response: R, step: number) => void) | undefined;
  /** With `stream: true` in the body: called with each event as it arrives. If it returns a promise, the loop awaits it. */
  onEvent?: ((event: E, step: number) => unknown) | undefined;
};

/** How a loop ended. */
export interface LoopResult<R> {
  /** The last answer. */
  response: R;
  /**
   * Whether the last answer has no calls that wait for an output; `false` if `maxSteps` ended the loop, or if the model called a tool that
   * the loop does not run (a shell, a computer, a patch), or asks for an approval: then continue with the output or the answer as new input.
   */
  finished: boolean;
  /** How many model calls were made. */
  steps: number;
  /** The session with the whole history, to search or to continue. */
  session: Session;
}

/**
 * An agent loop over the Responses API: it asks the model, runs the tools that the model calls, and asks again, each time with an
 * input that fits. If a request is refused as too long, it sends a smaller one. The returned `input` is whole: the view that your
 * `session` had before, and everything since. With `stream: true` in the body, `onEvent` gets the events of each answer as they
 * arrive.
 *
 * ```js
 * import { runResponses } from "contextfold/openai";
 *
 * const { response, input } = await runResponses(client, { model: "gpt-5", input: "Why does the build fail?", tools }, {
 *   model: "gpt-5",
 *   execute: { build: async ({ target }) => runBuild(target) },
 * });
 * ```
 *
 * @throws Errors of the client and of `onEvent`, and an `Error` if a stream ends before its answer is complete. The session has
 * everything up to the failure.
 * @throws {ContextError} `INVALID_CONFIG`, `INVALID_ARGUMENT` (`maxSteps`): before anything is sent. `INVALID_MESSAGE`: the answer
 * is none (a completion without choices).
 */
export declare function runResponses(
  client: Pick<OpenAI, "responses">,
  body: OpenAI.Responses.ResponseCreateParamsNonStreaming | OpenAI.Responses.ResponseCreateParamsStreaming,
  options: LoopOptions<OpenAI.Responses.Response, OpenAI.Responses.ResponseStreamEvent>,
): Promise<LoopResult<OpenAI.Responses.Response> & { input: OpenAI.Responses.ResponseInputItem[] }>;

/**
 * Like `runResponses`, but over Chat Completions. Streams are requested with their usage (`stream_options: { include_usage: true }`,
 * unless you set it) and reassembled, so `response` is a completion.
 */
export declare function runChat(
  client: Pick<OpenAI, "chat">,
  body: OpenAI.Chat.ChatCompletionCreateParamsNonStreaming | OpenAI.Chat.ChatCompletionCreateParamsStreaming,
  options: LoopOptions<OpenAI.Chat.ChatCompletion, OpenAI.Chat.ChatCompletionChunk>,
): Promise<LoopResult<OpenAI.Chat.ChatCompletion> & { messages: OpenAI.Chat.ChatCompletionMessageParam[] }>;

/**
 * A `summarize` that asks OpenAI to compact the conversation, by `/responses/compact`.
 *
 * ```js
 * import OpenAI from "openai";
 * import { Session } from "contextfold";
 * import { providerCompaction } from "contextfold/openai";
 *
 * const session = new Session({ model: "gpt-5", summarize: providerCompaction("openai", { client: new OpenAI() }) });
 * ```
 *
 * OpenAI's compaction comes first in views of the format `openai-responses`, unchanged, next to the ledger. Views of other formats
 * have the built-in summary. The history keeps the messages, for search, `unfold` and other providers.
 *
 * The compaction is encrypted, so its length in tokens is not known. It is counted as if it were as long as the built-in summary,
 * until the usage of the next call corrects the counts.
 *
 * @param options.client of `openai`
 * @param options.model the model that compacts, if `compaction.model` names none
 * @throws {ContextError} `INVALID_CONFIG` if the client cannot compact. A failed compaction counts as a failed `summarize`: see
 * `compaction.onFailure`.
 */
export declare function providerCompaction(provider: "openai", options: { client: OpenAI; model?: string | undefined }): Summarize;
