// OpenTelemetry: writes decisions to the active span. The caller passes the API in, so its package is not imported.

import { listOf, objectOf, sessionWith, withMethod } from "../given.js";

/** See opentelemetry.d.ts. */
export function traceReports(trace) {
  return (report) => {
    const span = trace.getActiveSpan();
    if (span?.isRecording()) recordReport(span, report);
  };
}

/** The events of a run that changes the view. */
const CHANGES = ["items_removed", "conversation_replaced", "output_trimmed", "compaction_finished", "folded", "unfolded"];

/** See opentelemetry.d.ts. */
export function traceSession(trace, session) {
  const record = traceReports(trace);
  let last = JSON.stringify(sessionWith("on", session).report);
  return session.on("*", ({ event, detail }) => {
    const { report } = session;
    if (event === "compaction_failed") {
      const span = trace.getActiveSpan();
      if (span?.isRecording()) span.addEvent("contextfold.compaction_failed", { "contextfold.why": detail });
      return; // if its run goes on, the events of that follow
    }
    // A run emits several events with one report. At other events, such as a push, the report is that of an earlier run, maybe of another span.
    const written = JSON.stringify(report);
    if (written !== last && CHANGES.includes(event) && report?.decisions.length > 0) record(report);
    last = written;
  });
}

/** See opentelemetry.d.ts. */
export function recordReport(span, report) {
  withMethod(span, "setAttribute", ["span", "a span of OpenTelemetry"]);
  listOf(objectOf(report, "report").decisions, "report.decisions");
  // By the semantic conventions the attribute is either `true` or left out.
  if (report.decisions.some(({ tokens_before, tokens_after }) => tokens_after < tokens_before)) span.setAttribute("gen_ai.conversation.compacted", true);
  const figures = {
    "contextfold.tokens_before": report.tokens_before,
    "contextfold.tokens_after": report.tokens_after,
    "contextfold.stable_prefix_tokens": report.stable_prefix_tokens,
    "contextfold.counter": report.counter.method,
  };
  if (report.limit !== null) figures["contextfold.limit"] = report.limit;
  for (const [key, value] of Object.entries(figures)) span.setAttribute(key, value);
  for (const { pass, attempt, tokens_before, tokens_after, items, why } of report.decisions)
    span.addEvent("contextfold.decision", {
      "contextfold.pass": pass,
      "contextfold.tokens_before": tokens_before,
      "contextfold.tokens_after": tokens_after,
      "contextfold.items": items.length,
      "contextfold.why": why,
      ...(attempt !== undefined && { "contextfold.attempt": attempt }),
    });
}
