import type { CheckOptions, Encoding, EntryOf, Event, EventName, Format, Message, Report, Session, Summarize, SummaryRequest, SummaryResponse } from "contextfold";
import type { HookOptions } from "./shared/types.js";

/** A step of a script: an answer, an error that is thrown, or a function that makes one of them. */
export type SummaryStep = string | SummaryResponse | Error | ((request: SummaryRequest, options: { signal?: AbortSignal }) => string | SummaryResponse | Error | Promise<string | SummaryResponse | Error>);

/**
 * A `summarize` that answers by a script: one step a request, the last one for all that come after it. Without a script it says
 * which summary of how many messages it is. `requests` are those it got.
 *
 * ```js
 * const summarize = scriptedSummarize(new Error("overloaded"), "<summary>The build fails.</summary>");
 * const session = new Session({ contextWindow: 8_000, summarize });
 * ```
 */
export declare function scriptedSummarize(...script: SummaryStep[]): Summarize & { readonly requests: SummaryRequest[] };

/** Records a session's events, from now until `stop()`. */
export declare function recordEvents(session: Session): RecordedEvents;

/** What `recordEvents` gives. */
export interface RecordedEvents {
  /** In order; grows. */
  readonly events: Event[];
  /** Their names. */
  names(): EventName[];
  /** Ends the recording. */
  stop(): void;
}

/**
 * Records what an integration reports and which errors it survives: spread `options` into its own.
 *
 * ```js
 * const hooks = recordHooks();
 * await generateText({ model, tools, prompt, prepareStep: prepareStep({ contextWindow: 8_000, ...hooks.options }) });
 * assert.ok(hooks.passes().includes("summarize"));
 * ```
 */
export declare function recordHooks(): RecordedHooks;

/** What `recordHooks` gives. */
export interface RecordedHooks {
  /** Of every step in which the view was changed, in order. */
  readonly reports: Report[];
  /** What was survived, in order. */
  readonly errors: unknown[];
  /** For the integration's own options. */
  readonly options: Required<Pick<HookOptions, "onReport" | "onError">>;
  /** The passes that decided something, in order. */
  passes(): string[];
}

/**
 * The list of an agent's run in any format: a task, then calls of `read_file` with outputs of about `tokens` tokens each, all
 * different, and the answer where one is given. Default 30 calls of 500 tokens. `any`, for an SDK's own type of a list.
 */
export declare function agentTranscript<F extends Format = "messages">(format?: F, options?: { task?: string; calls?: number; tokens?: number; answer?: string }): F extends "messages" ? Message[] : EntryOf<F>[];

/**
 * Throws where a provider would refuse a request, or where it has more than `limit` tokens (`session.limit`; `null`: any number);
 * gives its tokens. `tokenizer` as for `countTokens`.
 *
 * @throws {Error} with every rule that is broken, or both figures.
 */
export declare function assertSendable(format: Format, body: unknown, options?: CheckOptions & { limit?: number | null; tokenizer?: "estimate" | "bytes/4" | Encoding | ((text: string) => number) }): number;
