// `session.loop()`: the three hooks of an agent loop as one wrapper.

import { ContextError } from "../error.js";

/** `{ modelCall, toolExecution, finalAnswer }`. Each runs the function that it is given, then folds if that is due. */
export function loopHooks(engine) {
  const hook = (hear) => async (run) => {
    if (typeof run !== "function") throw new ContextError("INVALID_ARGUMENT", "expected a function to run");
    const result = await run();
    hear(result);
    // The function's result is returned even if the compaction fails: it is paid for. `session.report` and the event `compaction_failed`
    // report the failure, and the history is unchanged.
    await engine.keepUp().catch(() => {});
    return result;
  };
  const nothing = () => {};
  return { modelCall: hook((answer) => engine.recordUsageOf(answer)), toolExecution: hook(nothing), finalAnswer: hook(nothing) };
}
