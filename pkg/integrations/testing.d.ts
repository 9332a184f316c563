import type { CheckOptions, Encoding, EntryOf, Event, EventName, Format, Message, Report, Session, Summarize, SummaryRequest, SummaryResponse } from "contextfold";
import type { HookOptions } from "./shared/types.js";

/** A step of a script: an answer, an error to throw, or a function that returns one of these. */
export type SummaryStep = string | SummaryResponse | Error | ((request: SummaryRequest, options: { signal?: AbortSignal }) => string | SummaryResponse | Error | Promise<string | SummaryResponse | Error>);

/**
 * A `summarize` that answers from a script: one step for each request; the last step is repeated for all further requests. Without
 * a script, each summary states its number and how many messages it replaces. `requests` lists the requests so far.
 *
 * ```js
 * const summarize = scriptedSummarize(new Error("overloaded"), "<summary>The build fails.</summary>");
 * const session = new Session({ contextWindow: 8_000, summarize });
 * ```
 */
export declare function scriptedSummarize(...script: SummaryStep[]): Summarize & { readonly requests: SummaryRequest[] };

/** Records a session's events, from now until `stop()`. */
export declare function recordEvents(session: Session): RecordedEvents;

/** What `recordEvents` returns. */
export interface RecordedEvents {
  /** The events so far, in order. The list grows. */
  readonly events: Event[];
  /** The names of the events. */
  names(): EventName[];
  /** Ends the recording. */
  stop(): void;
}

/**
 * Records the reports of an integration and the errors that it survives. Spread `options` into the integration's options.
 *
 * ```js
 * const hooks = recordHooks();
 * await generateText({ model, tools, prompt, prepareStep: prepareStep({ contextWindow: 8_000, ...hooks.options }) });
 * assert.ok(hooks.passes().includes("summarize"));
 * ```
 */
export declare function recordHooks(): RecordedHooks;

/** What `recordHooks` returns. */
export interface RecordedHooks {
  /** The reports that `onReport` got, in order: of each model call for which the view was changed, and once for its `notices`. */
  readonly reports: Report[];
  /** The errors that the integration survived, in order. */
  readonly errors: unknown[];
  /** To spread into the integration's options. */
  readonly options: Required<Pick<HookOptions, "onReport" | "onError">>;
  /** The passes that decided something, in order. */
  passes(): string[];
}

/**
 * Makes the messages of an agent's run in any format: a task, then calls of `read_file` whose outputs are all different and have
 * about `tokens` tokens each, and the final `answer` if given. Default: 30 calls, 500 tokens each.
 */
export declare function agentTranscript<F extends Format = "messages">(format?: F, options?: { task?: string | undefined; calls?: number | undefined; tokens?: number | undefined; answer?: string | undefined }): F extends "messages" ? Message[] : EntryOf<F>[];

/**
 * Throws if a provider would refuse a request, or if it has more than `limit` tokens (such as `session.limit`; `null`: no limit).
 * Returns its number of tokens. `tokenizer`: as for `countTokens`.
 *
 * @throws {Error} that lists every broken rule, or has the number of tokens and the limit.
 */
export declare function assertSendable(format: Format, body: unknown, options?: CheckOptions & { limit?: number | null | undefined; tokenizer?: "estimate" | "bytes/4" | Encoding | ((text: string) => number) | undefined }): number;
