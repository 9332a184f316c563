import type { CheckOptions, Encoding, EntryOf, Event, EventName, Format, Message, Report, Session, Summarize, SummaryRequest, SummaryResponse } from "contextfold";
import type { HookOptions } from "./shared/types.js";

/** A step of a script: an answer, an error that is thrown, or a function that makes one of them. */
export type SummaryStep = string | SummaryResponse | Error | ((request: SummaryRequest, options: { signal?: AbortSignal }) => string | SummaryResponse | Error | Promise<string | SummaryResponse | Error>);

/**
 * A `summarize` that answers by a script: one step for each request, and the last one for all further requests. Without a script,
 * the summary says its number and how many messages it stands for. `requests` has the requests so far.
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
  /** The report of each step in which the view was changed, in order. */
  readonly reports: Report[];
  /** The errors that the integration survived, in order. */
  readonly errors: unknown[];
  /** For the integration's own options. */
  readonly options: Required<Pick<HookOptions, "onReport" | "onError">>;
  /** The passes that decided something, in order. */
  passes(): string[];
}

/**
 * The list of an agent's run in any format: a task, then calls of `read_file` with outputs of about `tokens` tokens each, all
 * different, and the answer if you give one. Default 30 calls of 500 tokens.
 */
export declare function agentTranscript<F extends Format = "messages">(format?: F, options?: { task?: string; calls?: number; tokens?: number; answer?: string }): F extends "messages" ? Message[] : EntryOf<F>[];

/**
 * Throws if a provider would refuse a request, or if it has more than `limit` tokens (`session.limit`; `null`: any number).
 * Returns its tokens. `tokenizer` as for `countTokens`.
 *
 * @throws {Error} with every broken rule, or with both figures.
 */
export declare function assertSendable(format: Format, body: unknown, options?: CheckOptions & { limit?: number | null; tokenizer?: "estimate" | "bytes/4" | Encoding | ((text: string) => number) }): number;
