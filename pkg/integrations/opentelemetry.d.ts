import type { Report, Session } from "contextfold";

/** What is used of a span of `@opentelemetry/api`. */
export interface SpanLike {
  /** Whether anybody will see it: nothing is written on a span that is not recorded. */
  isRecording(): boolean;
  /** Sets one attribute. */
  setAttribute(key: string, value: string | number | boolean): unknown;
  /** Adds an event with its attributes. */
  addEvent(name: string, attributes?: { [key: string]: string | number | boolean }): unknown;
}

/** What is used of `trace` of `@opentelemetry/api`. */
export interface TraceLike {
  /** The span of what is running now. */
  getActiveSpan(): SpanLike | undefined;
}

/**
 * An `onReport` for any of the integrations: the active span gets `gen_ai.conversation.compacted` where tokens were saved, the
 * figures as `contextfold.*`, and an event `contextfold.decision` for each decision.
 *
 * ```js
 * import { trace } from "@opentelemetry/api";
 * import { traceReports } from "contextfold/opentelemetry";
 *
 * prepareStep({ model: "gpt-5", onReport: traceReports(trace) });
 * ```
 */
export declare function traceReports(trace: TraceLike): (report: Report) => void;

/** The same for a session that is used by itself, and an event for compactions that fail. What comes back ends it. */
export declare function traceSession(trace: TraceLike, session: Session): () => void;

/** Writes one report on a span. */
export declare function recordReport(span: SpanLike, report: Report): void;
