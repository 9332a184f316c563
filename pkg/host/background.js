// Asks for a summary in the background. Like a run, but nobody waits for it, and nobody gets its errors: `compaction_failed` reports them.

import { release, takeLease } from "./lease.js";
import { ask, forget } from "./run.js";
import { refuseFreed } from "./wait.js";

/** Starts asking. The work begins after this call has returned, so that the caller of `push` does not wait. */
export function beginBackground(run) {
  const { engine } = run;
  const { state } = engine;
  const end = () => {
    state.background = undefined;
    engine.isInBackground = false;
    engine.deliverEvents();
    forget(run, state);
  };
  state.background = toEnd(run, engine).then(end, end).catch(() => {}); // after a trap, every call of the session throws INTERNAL
}

async function toEnd(run, engine) {
  const { state } = engine;
  try {
    await undefined;
    run.begin();
    while (run.needsSummary) {
      engine.deliverEvents();
      await answered(run, engine);
    }
  } finally {
    if (!engine.hasBackgroundSummary) await release(state);
  }
}

async function answered(run, engine) {
  const { state } = engine;
  const { signal } = state;
  try {
    await takeLease(engine, signal, false);
  } catch (error) {
    refuseFreed(state);
    return run.notAsked(error);
  }
  refuseFreed(state);
  await ask(run, engine, signal);
  run.goOn();
}

/** Waits until no summary is being asked for, neither in the background nor by a run. */
export async function allRequestsDone(state) {
  for (;;) {
    const asking = state.running?.ended ?? state.background;
    if (!asking) return;
    await asking.catch(() => {}); // its result or error goes to the caller who started it
  }
}
