// Drives a run of a session across its awaits. The module decides each next step; `run` is its object for one run.

import { release, takeLease } from "./lease.js";
import { refuseAborted, refuseFreed, wait } from "./wait.js";

/** Starts a run, or joins the one that is in progress. Resolves to what the caller gets. */
export async function runOrJoin(run, signal) {
  const { engine } = run;
  try {
    await undefined; // what the caller does before it waits comes first
    return await joinedOrBegun(run, engine, signal);
  } finally {
    engine.afterRun();
    forget(run, engine.state);
  }
}

/** Goes on with a run that has begun and waits for a summary. */
export async function finish(run, signal) {
  const { engine } = run;
  try {
    return await finished(run, engine, signal);
  } finally {
    engine.afterRun();
    forget(run, engine.state);
  }
}

/** A freed session's run holds the messages that were to be summarised. Others who joined it get FREED. */
export function forget(run, state) {
  if (state.freed) run.free();
}

async function joinedOrBegun(run, engine, signal) {
  const { state } = engine;
  for (;;) {
    refuseAborted(signal);
    refuseFreed(state);
    const { running, background } = state;
    if (!running) {
      if (!background || !run.joinsBackground()) break;
      await wait(background, signal, state);
      continue;
    }
    const { folds } = engine;
    let failed;
    try {
      await wait(running.ended, signal, state);
    } catch (error) {
      failed = { error };
    }
    if (failed?.error?.code === "ABORTED" && !signal?.aborted) continue; // by another caller's signal: ours starts again
    if (!run.isMetByAnother) continue; // however that run ended, this goal still has to run
    if (failed && run.canGoOn && !signal?.aborted && !engine.isTooLarge) return engine.lastReport ?? null;
    if (!failed && run.wantsFold && engine.folds === folds) continue; // it went on without a fold, but this caller wants one
    if (failed) throw failed.error;
    return running.run.report();
  }
  return run.begin() ? finished(run, engine, signal) : run.value();
}

async function finished(run, engine, signal) {
  const { state } = engine;
  const ended = toEnd(run, engine, signal);
  state.running = { run, ended };
  try {
    await ended;
  } finally {
    state.running = undefined;
    engine.isRunning = false;
  }
  return run.value();
}

async function toEnd(run, engine, signal) {
  await undefined; // the caller gets its promise before the callback is called
  engine.deliverEvents();
  try {
    while (run.needsSummary) {
      await answered(run, engine, signal);
      if (run.needsSummary) engine.deliverEvents();
    }
    run.keepOutcome(); // before events are delivered: what listeners push does not belong to it
  } finally {
    engine.deliverEvents();
  }
}

async function answered(run, engine, signal) {
  const { state } = engine;
  if (!engine.hasSummarize) return run.extract();
  try {
    await takeLease(engine, signal, !run.canDoWithout);
  } catch (error) {
    refuseFreed(state);
    return run.notAsked(error);
  }
  const isAnswered = await ask(run, engine, signal);
  const { folds } = engine;
  if (!isAnswered) {
    await release(state);
    return run.goOn();
  }
  try {
    run.goOn();
  } finally {
    if (!run.needsSummary && engine.folds === folds) await release(state);
  }
}

/** Calls the callback and waits for its answer, which the run keeps. Resolves to whether that is a summary; throws if the session is freed. */
export async function ask(run, engine, signal) {
  const { state } = engine;
  let answer;
  try {
    refuseAborted(signal); // it may have fired since the answer before
    answer = await wait(Promise.resolve(run.ask(signal)), signal, state);
  } catch (error) {
    if (state.freed) await release(state);
    refuseFreed(state);
    return run.failed(error, signal);
  }
  return run.heard(answer);
}
