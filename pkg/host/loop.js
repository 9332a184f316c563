// `session.loop()`: the three hooks of an agent loop as one wrapper.

import { ContextError } from "../error.js";

/** `{ modelCall, toolExecution, finalAnswer }`. Each runs the function that it is given, then folds if that is due. */
export function loopHooks(engine) {
  const hook = (hear) => async (run) => {
    const isForSummary = engine.isAsking;
    await undefined; // nothing of the caller's runs within the call
    if (typeof run !== "function") throw new ContextError("INVALID_ARGUMENT", "expected a function to run");
    const result = await run();
    if (isForSummary) return result; // the summarize callback asks its model through the loop: a fold would wait for that very call
    try {
      hear(result);
      await engine.keepUp();
    } catch {
      // The result is returned all the same: it is paid for. `session.report` and the event `compaction_failed` report what failed.
    }
    return result;
  };
  const nothing = () => {};
  return { modelCall: hook((answer) => engine.recordUsageOf(answer)), toolExecution: hook(nothing), finalAnswer: hook(nothing) };
}
