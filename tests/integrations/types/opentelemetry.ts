// Compiled, not run: the real API's `trace` has the expected type.

import { trace } from "@opentelemetry/api";
import { Session } from "contextfold";
import { prepareStep } from "contextfold/ai-sdk";
import { recordReport, traceReports, traceSession } from "contextfold/opentelemetry";

prepareStep({ model: "gpt-5", onReport: traceReports(trace) });
const session = new Session();
const stop: () => void = traceSession(trace, session);
const span = trace.getActiveSpan();
if (span && session.report) recordReport(span, session.report);
stop();
