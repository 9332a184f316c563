import type { Report, Session } from "contextfold";

/** The methods of a span of `@opentelemetry/api` that are used here. */
export interface SpanLike {
  /** Whether the span is recorded; nothing is written on it otherwise. */
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
 * An `onReport` for any of the integrations: the active span gets `gen_ai.conversation.compacted` if tokens
 * were saved, the figures as `contextfold.*`, and an event `contextfold.decision` for each decision.
 *
 * ```js
 * import { trace } from "@opentelemetry/api";
 * import { traceReports } from "contextfold/opentelemetry";
 *
 * prepareStep({ model: "gpt-5", onReport: traceReports(trace) });
 * ```
 */
export declare function traceReports(trace: TraceLike): (report: Report) => void;

/** The same for a session without an integration, with an event for each failed compaction. Call the returned function to stop. */
export declare function traceSession(trace: TraceLike, session: Session): () => void;

/** Writes one report on a span. */
export declare function recordReport(span: SpanLike, report: Report): void;
