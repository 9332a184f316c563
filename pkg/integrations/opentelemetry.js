// OpenTelemetry: writes decisions to the active span. The caller passes the API in, so nothing is imported.

/** See opentelemetry.d.ts. */
export function traceReports(trace) {
  return (report) => {
    const span = trace.getActiveSpan();
    if (span?.isRecording()) recordReport(span, report);
  };
}

/** See opentelemetry.d.ts. */
export function traceSession(trace, session) {
  const record = traceReports(trace);
  let last = session.report;
  const onFinish = () => {
    const { report } = session;
    if (report && report !== last) record((last = report));
  };
  const offs = [
    session.on("compaction_finished", onFinish),
    session.on("compaction_failed", ({ detail }) => {
      const span = trace.getActiveSpan();
      if (span?.isRecording()) span.addEvent("contextfold.compaction_failed", { "contextfold.why": detail });
    }),
  ];
  return () => offs.forEach((off) => off());
}

/** See opentelemetry.d.ts. */
export function recordReport(span, report) {
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
