import type { Session } from "contextfold";
import type OpenAI from "openai";
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

declare module "contextfold" {
  interface EntryTypes {
    /** Of `openai`. */
    "openai-responses": OpenAI.Responses.ResponseInputItem;
    /** Of `openai`. */
    "openai-chat": OpenAI.Chat.ChatCompletionMessageParam;
    /** Of `openai`: a tool's definition. */
    "openai-responses-tool": OpenAI.Responses.FunctionTool;
    /** Of `openai`: a tool's definition. */
    "openai-chat-tool": OpenAI.Chat.ChatCompletionFunctionTool;
  }
}

/** What a request may be made with, beside its body. */
export interface FitOptions {
  /** Ends a compaction that is under way. */
  signal?: AbortSignal | undefined;
  /** Of the answer before: from it is learnt how exact the counts are. */
  usage?: unknown;
}

/**
 * For a loop of your own: gives the body of a request, of the Responses API or of Chat Completions, with a list that fits. Keep
 * your own list whole, and hand it over whole each time.
 *
 * ```js
 * import { fit } from "contextfold/openai";
 *
 * const fitting = fit({ model: "gpt-5" });
 * const response = await client.responses.create(await fitting({ model: "gpt-5", tools, input }));
 * input.push(...response.output);
 * ```
 *
 * The service's own `compaction` items stay where they are, untouched. A body with `previous_response_id` or `conversation` is
 * sent as it is, and a failure says so: of what the service holds nothing can be taken out.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function fit(options: IntegrationOptions<object>): <B extends object>(body: B, options?: FitOptions) => Promise<B>;

/**
 * A `fetch` for `new OpenAI({ fetch })`, for who does not own the loop (`runTools`, a framework): the list in every request to
 * `/responses` and `/chat/completions` is made to fit, streamed or not. A request that is refused as too long all the same is made
 * once more.
 *
 * ```js
 * import { fittingFetch } from "contextfold/openai";
 *
 * const client = new OpenAI({ fetch: fittingFetch({ model: "gpt-5" }) });
 * ```
 *
 * @param options `fetch`: what sends; default the global one.
 */
export declare function fittingFetch(options: IntegrationOptions<object> & { fetch?: typeof fetch }): (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Runs a tool: `args` is the parsed JSON, or the text of a custom tool. What it gives is sent as it is (text, content parts), or as JSON; what it throws, the model sees. */
export type Execute = (args: any, about: { call: object; signal?: AbortSignal }) => unknown;

/** What a loop takes beside a session or a session's options. `R`: an answer, `E`: an event of its stream. */
export type LoopOptions<R, E = unknown> = IntegrationOptions & {
  /**
   * The conversation, where it goes on; without it one is made, and given back. What is asked stands behind what the session has: a text
   * does, and a list that begins otherwise. A list that begins as the session's history or view does is all of the conversation.
   */
  session?: Session;
  /** The tools, by name; or one function for all. A call of a tool that there is not gets an error for an answer. */
  execute?: { [name: string]: Execute } | ((name: string, args: any, about: { call: object; signal?: AbortSignal }) => unknown);
  /** As many model calls at most; default 100. */
  maxSteps?: number | undefined;
  /** Ends the loop, its requests, its tools and a compaction that is under way. */
  signal?: AbortSignal | undefined;
  /** Hears of every answer, whole, also where it was streamed. `step` counts from 1. */
  onResponse?: (response: R, step: number) => void;
  /** With `stream: true` in the body: hears of every event, as it comes. A promise is waited for. */
  onEvent?: (event: E, step: number) => unknown;
};

/** How a loop ended. */
export interface LoopResult<R> {
  /** The last answer. */
  response: R;
  /** It has no calls; `false` where `maxSteps` ended the loop. */
  finished: boolean;
  /** Model calls that were made. */
  steps: number;
  /** The conversation with its whole history: to search, to go on with. */
  session: Session;
}

/**
 * An agent loop over the Responses API: asks, runs the tools that the model calls, asks again, each time with an input that fits;
 * a refusal as too long is answered with a smaller one. `input` of what it gives is whole: all
 * that was said, behind what a `session` of yours showed before. With `stream: true` in the body,
 * `onEvent` hears each answer while it is made.
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
 * @throws what the client throws, what `onEvent` throws, and an `Error` for a stream that ends before its answer does. What failed
 * is not in the session; all that was before is.
 */
export declare function runResponses(
  client: Pick<OpenAI, "responses">,
  body: OpenAI.Responses.ResponseCreateParamsNonStreaming | OpenAI.Responses.ResponseCreateParamsStreaming,
  options: LoopOptions<OpenAI.Responses.Response, OpenAI.Responses.ResponseStreamEvent>,
): Promise<LoopResult<OpenAI.Responses.Response> & { input: OpenAI.Responses.ResponseInputItem[] }>;

/**
 * The same over Chat Completions. A stream is asked for its usage (`stream_options: { include_usage: true }`, unless yours say
 * otherwise), and put together again: `response` is a completion.
 */
export declare function runChat(
  client: Pick<OpenAI, "chat">,
  body: OpenAI.Chat.ChatCompletionCreateParamsNonStreaming | OpenAI.Chat.ChatCompletionCreateParamsStreaming,
  options: LoopOptions<OpenAI.Chat.ChatCompletion, OpenAI.Chat.ChatCompletionChunk>,
): Promise<LoopResult<OpenAI.Chat.ChatCompletion> & { messages: OpenAI.Chat.ChatCompletionMessageParam[] }>;

/**
 * A `summarize` that asks OpenAI to compact the conversation itself, by `/responses/compact`.
 *
 * ```js
 * import OpenAI from "openai";
 * import { Session } from "contextfold";
 * import { providerCompaction } from "contextfold/openai";
 *
 * const session = new Session({ model: "gpt-5", summarize: providerCompaction("openai", { client: new OpenAI() }) });
 * ```
 *
 * What OpenAI wrote stands first in views of `openai-responses`, unchanged, with the engine's record of facts beside it. The history keeps the
 * messages, for search, `unfold` and other providers: views of other formats have the built-in summary in its place.
 *
 * What it wrote is encrypted, and its length is not known: it is counted as long as the built-in summary, until the usage of the next call
 * corrects the counts.
 *
 * @param options.client of `openai`
 * @param options.model the model that compacts, where `compaction.model` names none
 * @throws {ContextError} `INVALID_CONFIG` for a client that cannot compact. A compaction that fails is a `summarize` that fails: see
 * `compaction.onFailure`.
 */
export declare function providerCompaction(provider: "openai", options: { client: OpenAI; model?: string | undefined }): Summarize;
