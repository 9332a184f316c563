import type { ModelMessage } from "ai" with { "resolution-mode": "import" };
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

declare module "contextfold" {
  interface EntryTypes {
    /** A message of `ai`. */
    "ai-sdk": ModelMessage;
  }
}

/** The arguments of a `prepareStep` of `ai` 6 or 7 that are read here. */
export interface StepArguments {
  /** The messages about to be sent; in `ai` 7 with the overrides of earlier steps. */
  messages: readonly object[];
  /** The steps so far. The usage of the last one corrects the counts. */
  steps: readonly { usage?: object }[];
  /** Counted from 0. */
  stepNumber: number;
  /** Only in `ai` 7. */
  instructions?: string | object | undefined;
  /** Only in `ai` 7, where an override of the messages carries over to later steps. */
  initialMessages?: readonly object[];
}

/**
 * A `prepareStep` for `generateText`, `streamText` and `ToolLoopAgent` of `ai` 6 and 7: before each model call the messages are
 * made to fit. What is stored (`result.response.messages`) stays whole.
 *
 * ```js
 * import { generateText } from "ai";
 * import { prepareStep } from "contextfold/ai-sdk";
 *
 * await generateText({ model, tools, messages, stopWhen, prepareStep: prepareStep({ contextWindow: 128_000 }) });
 * ```
 *
 * The summary is a user message. If you have a `prepareStep` of your own, call this one inside it with your arguments, and return
 * its messages together with your other settings.
 *
 * @param options `tools` and `instructions`: pass those of the call if they are large, so that they are counted from the first
 * step on (`ai` 7 passes the instructions itself). `signal`: the call's abort signal, because the SDK does not pass it to hooks.
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function prepareStep(
  options: IntegrationOptions<StepArguments> & { tools?: object | undefined; instructions?: string | undefined; signal?: AbortSignal | undefined },
): <M extends object>(args: { messages: M[]; steps: readonly { usage?: object }[]; stepNumber: number; instructions?: string | object | undefined }) => Promise<{ messages: M[] } | undefined>;

/** A middleware for `wrapLanguageModel`. `P`: the parameters of a model call. */
export interface Middleware {
  /** `ai` 6 requires this version; `ai` 7 accepts any. */
  readonly specificationVersion: "v3";
  /** Makes the prompt of a call fit. */
  transformParams: <P extends { prompt: object[] }>(options: { type: "generate" | "stream"; params: P; model: object }) => Promise<P>;
  /** Calls the model. If the request is refused as too long, retries once with a smaller one. The usage corrects the counts. */
  wrapGenerate: <P, R extends object>(options: { doGenerate: () => PromiseLike<R>; params: P; model: { doGenerate: (params: P) => PromiseLike<R> } }) => Promise<R>;
  /** Like `wrapGenerate`, for a stream. */
  wrapStream: <P, R extends { stream: ReadableStream }>(options: { doStream: () => PromiseLike<R>; params: P; model: { doStream: (params: P) => PromiseLike<R> } }) => Promise<R>;
}

/**
 * A middleware for `wrapLanguageModel` of `ai` 6 and 7, for agents whose loop you do not control: every model call, streamed or
 * not, gets a prompt that fits. If a call is still refused as too long, at once or at the beginning of its stream, it is retried
 * once with a smaller prompt.
 *
 * ```js
 * import { wrapLanguageModel } from "ai";
 * import { middleware } from "contextfold/ai-sdk";
 *
 * const model = wrapLanguageModel({ model: yourModel, middleware: middleware({ contextWindow: 128_000 }) });
 * ```
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a call.
 */
export declare function middleware(options: IntegrationOptions<{ params: { prompt: object[] }; model: object; type: "generate" | "stream" }>): Middleware;
