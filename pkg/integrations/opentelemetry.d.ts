import type { Report, Session } from "contextfold";

/** The methods of a span of `@opentelemetry/api` that are used here. */
export interface SpanLike {
  /** Whether the span is recorded. If not, nothing is written on it. */
  isRecording(): boolean;
  /** Sets one attribute. */
  setAttribute(key: string, value: string | number | boolean): unknown;
  /** Adds an event with its attributes. */
  addEvent(name: string, attributes?: { [key: string]: string | number | boolean }): unknown;
}

/** The methods of `trace` of `@opentelemetry/api` that are used here. */
export interface TraceLike {
  /** The active span. */
  getActiveSpan(): SpanLike | undefined;
}

/**
 * An `onReport` for any integration. It sets on the active span `gen_ai.conversation.compacted` if tokens were saved, and the
 * figures as `contextfold.*`; it adds an event `contextfold.decision` for each decision.
 *
 * ```js
 * import { trace } from "@opentelemetry/api";
 * import { traceReports } from "contextfold/opentelemetry";
 *
 * prepareStep({ model: "gpt-5", onReport: traceReports(trace) });
 * ```
 */
export declare function traceReports(trace: TraceLike): (report: Report) => void;

/**
 * Like `traceReports`, for a session without an integration: writes the report of each run that changes the view. Also adds an event
 * for each failed compaction. Returns a function that stops the tracing.
 */
export declare function traceSession(trace: TraceLike, session: Session): () => void;

/** Writes one report to a span. */
export declare function recordReport(span: SpanLike, report: Report): void;
