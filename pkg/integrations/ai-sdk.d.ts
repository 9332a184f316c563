import type { ModelMessage } from "ai" with { "resolution-mode": "import" };
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

declare module "contextfold" {
  interface EntryTypes {
    /** Of `ai`. */
    "ai-sdk": ModelMessage;
  }
}

/** The arguments of a `prepareStep` that are read here, the same in `ai` 6 and 7. */
export interface StepArguments {
  /** What would be sent: in `ai` 7 with the overrides of earlier steps. */
  messages: readonly object[];
  /** The steps so far; the last one's usage corrects the counts. */
  steps: readonly { usage?: object }[];
  /** From 0. */
  stepNumber: number;
  /** In `ai` 7. */
  instructions?: string | object | undefined;
  /** In `ai` 7, where an override of the messages carries forward to later steps. */
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
 * The summary is a user message. A `prepareStep` of your own goes around it: call it with your arguments, and
 * return what else you want beside its messages.
 *
 * @param options `tools` and `instructions`: those of the call, if they are large, so that they count from the first step (`ai` 7
 * passes the instructions itself). `signal`: the call's abort signal, which a hook does not get.
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function prepareStep(
  options: IntegrationOptions<StepArguments> & { tools?: object | undefined; instructions?: string | undefined; signal?: AbortSignal | undefined },
): <M extends object>(args: { messages: M[]; steps: readonly { usage?: object }[]; stepNumber: number; instructions?: string | object | undefined }) => Promise<{ messages: M[] } | undefined>;

/** A middleware for `wrapLanguageModel`: `P` is what a call of the model takes. */
export interface Middleware {
  /** `any`, for version 6 of `ai` demands `"v3"` here and version 7 takes any text. */
  readonly specificationVersion: any;
  /** Makes the prompt of a call fit. */
  transformParams: <P extends { prompt: object[] }>(options: { type: "generate" | "stream"; params: P; model: object }) => Promise<P>;
  /** Calls the model; if it refuses the request as too long, once more with a smaller one. Learns from the usage. */
  wrapGenerate: <P, R extends object>(options: { doGenerate: () => PromiseLike<R>; params: P; model: { doGenerate: (params: P) => PromiseLike<R> } }) => Promise<R>;
  /** The same for a stream. */
  wrapStream: <P, R extends { stream: ReadableStream }>(options: { doStream: () => PromiseLike<R>; params: P; model: { doStream: (params: P) => PromiseLike<R> } }) => Promise<R>;
}

/**
 * A middleware for `wrapLanguageModel` of `ai` 6 and 7, if the loop is not yours: every call of the model gets a prompt that
 * fits, generated or streamed. A call that is still refused as too long, at once or at the beginning of its stream, is made once
 * more, smaller.
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
