// Waiting: until a signal fires, the session is freed, or time is up.

import { ContextError } from "../error.js";

/** Ends each wait of any session, with an error. */
const allWaits = new Set();

/** The module broke: nothing that waits can go on. */
export function endAllWaits(error) {
  for (const end of allWaits) end(error);
}

const aborted = (signal) => new ContextError("ABORTED", "aborted by the AbortSignal; nothing was changed", { cause: signal.reason });
// Made anew for each caller, because the stack of an error begins with the caller's line.
const freed = (state) => new ContextError(state.freed.code, state.freed.message);

/** Throws ABORTED, with the signal's reason as `cause`, if the signal has fired. */
export function refuseAborted(signal) {
  if (signal?.aborted) throw aborted(signal);
}

/** Throws FREED once the session is freed. */
export function refuseFreed(state) {
  if (state.freed) throw freed(state);
}

/** Waits for `promise`, until the signal fires or the session is freed. */
export function wait(promise, signal, state) {
  return new Promise((resolve, reject) => {
    const settled = (settle) => (value) => {
      settle(value);
      allWaits.delete(end);
      state.waiting.delete(end);
      signal?.removeEventListener?.("abort", abort);
    };
    const end = settled(reject);
    // A microtask later: an answer that has just come is paid for.
    const abort = () => queueMicrotask(() => end(aborted(signal)));
    const endFreed = () => queueMicrotask(() => end(freed(state)));
    promise.then(settled(resolve), end); // also if nobody waits any more: then its error is nobody's
    if (signal?.aborted) return abort();
    if (state.freed) return endFreed();
    allWaits.add(end);
    state.waiting.set(end, endFreed);
    signal?.addEventListener("abort", abort);
  });
}

/** Resolves to `undefined` if the work takes longer than this many milliseconds. On a host without timers there is no limit. */
export function within(work, ms) {
  return new Promise((resolve, reject) => {
    const stop = startTimer(resolve, ms);
    const settled = (settle) => (value) => {
      stop?.();
      settle(value);
    };
    work.then(settled(resolve), settled(reject));
  });
}

/** Resolves after this many milliseconds; at once on a host without timers. */
export const pause = (ms) => new Promise((resolve) => startTimer(resolve, ms) ?? resolve());

/** Returns a function that stops the timer; `undefined` on a host without timers, and where the host allows none now. */
function startTimer(done, ms) {
  try {
    const timer = setTimeout(done, ms);
    return () => clearTimeout(timer);
  } catch {
    return undefined;
  }
}
