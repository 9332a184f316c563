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

/** Options of a request, beside its body. */
export interface FitOptions {
  /** Ends a running compaction. */
  signal?: AbortSignal | undefined;
  /** The usage of the previous answer, which corrects the counts. */
  usage?: unknown;
}

/**
 * For a loop of your own: returns the body of a request, of the Responses API or of Chat Completions, with a list that fits. Keep
 * your own list whole, and pass it whole each time.
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
 * sent as it is, and this is reported as a failure: nothing can be taken out of what the service holds.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function fit(options: IntegrationOptions<object>): <B extends object>(body: B, options?: FitOptions) => Promise<B>;

/**
 * A `fetch` for `new OpenAI({ fetch })`, if the loop is not yours (`runTools`, a framework): the list in every request to
 * `/responses` and `/chat/completions` is made to fit, streamed or not. A request that is still refused as too long is sent once
 * more, smaller.
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

/** Runs a tool: `args` is the parsed JSON, or the text of a custom tool. Its result is sent as it is (text, content parts), or as JSON; the model sees what it throws. */
export type Execute = (args: any, about: { call: object; signal?: AbortSignal }) => unknown;

/** Options of a loop, beside a session or a session's options. `R`: an answer, `E`: an event of its stream. */
export type LoopOptions<R, E = unknown> = IntegrationOptions & {
  /**
   * The conversation to continue; without it a new one is made and returned. A text, or a list that begins differently, is added
   * after what the session has. A list that begins like the session's history or view is taken as the whole conversation.
   */
  session?: Session;
  /** The tools, by name; or one function for all. A call of an unknown tool is answered with an error. */
  execute?: { [name: string]: Execute } | ((name: string, args: any, about: { call: object; signal?: AbortSignal }) => unknown);
  /** The most model calls; default 100. */
  maxSteps?: number | undefined;
  /** Ends the loop, its requests, its tools and a running compaction. */
  signal?: AbortSignal | undefined;
  /** Called with every whole answer, also with `stream: true`. `step` counts from 1. */
  onResponse?: (response: R, step: number) => void;
  /** With `stream: true` in the body: called with each event as it comes. A promise is waited for. */
  onEvent?: (event: E, step: number) => unknown;
};

/** How a loop ended. */
export interface LoopResult<R> {
  /** The last answer. */
  response: R;
  /** Whether the last answer has no calls; `false` if `maxSteps` ended the loop. */
  finished: boolean;
  /** How many model calls were made. */
  steps: number;
  /** The conversation with its whole history: to search, to go on with. */
  session: Session;
}

/**
 * An agent loop over the Responses API: asks, runs the tools that the model calls, asks again, each time with an input that fits;
 * a refusal as too long is answered with a smaller one. The returned `input` is whole: what your `session` showed before, and
 * everything said since. With `stream: true` in the body, `onEvent` gets each answer while it is made.
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
 * @throws what the client throws, what `onEvent` throws, and an `Error` for a stream that ends before its answer does. The
 * session has everything before the failure.
 */
export declare function runResponses(
  client: Pick<OpenAI, "responses">,
  body: OpenAI.Responses.ResponseCreateParamsNonStreaming | OpenAI.Responses.ResponseCreateParamsStreaming,
  options: LoopOptions<OpenAI.Responses.Response, OpenAI.Responses.ResponseStreamEvent>,
): Promise<LoopResult<OpenAI.Responses.Response> & { input: OpenAI.Responses.ResponseInputItem[] }>;

/**
 * The same over Chat Completions. A stream is asked for its usage (`stream_options: { include_usage: true }`, unless you set it),
 * and joined again: `response` is a completion.
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
 * messages, for search, `unfold` and other providers: views of other formats have the built-in summary.
 *
 * What it wrote is encrypted, and its length is not known: it is counted as long as the built-in summary, until the usage of the next call
 * corrects the counts.
 *
 * @param options.client of `openai`
 * @param options.model the model that compacts, if `compaction.model` names none
 * @throws {ContextError} `INVALID_CONFIG` for a client that cannot compact. A compaction that fails is a `summarize` that fails: see
 * `compaction.onFailure`.
 */
export declare function providerCompaction(provider: "openai", options: { client: OpenAI; model?: string | undefined }): Summarize;
