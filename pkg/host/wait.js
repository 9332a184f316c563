// Waiting: until a signal fires, the session is freed, or time is up.

import { ContextError } from "../error.js";

const aborted = (signal) => new ContextError("ABORTED", "aborted by the AbortSignal; nothing was changed", { cause: signal.reason });

/** Throws ABORTED, with the signal's reason as `cause`, if the signal has fired. */
export function refuseAborted(signal) {
  if (signal?.aborted) throw aborted(signal);
}

/** Throws FREED once the session is freed. */
export function refuseFreed(state) {
  if (state.freed) throw state.freed;
}

/** Waits for `promise`, until the signal fires or the session is freed. */
export function wait(promise, signal, state) {
  return new Promise((resolve, reject) => {
    const abort = () => end(aborted(signal));
    const settled = (settle) => (value) => {
      state.waiting.delete(end);
      signal?.removeEventListener("abort", abort);
      settle(value);
    };
    const end = settled(reject);
    promise.then(settled(resolve), end); // also if nobody waits any more: then its error is nobody's
    if (signal?.aborted) return abort();
    if (state.freed) return end(state.freed);
    state.waiting.add(end);
    signal?.addEventListener("abort", abort);
  });
}

/** Resolves to `undefined` if the work takes longer than this many milliseconds. On a host without timers there is no limit. */
export function within(work, ms) {
  return new Promise((resolve, reject) => {
    const timer = globalThis.setTimeout?.(resolve, ms);
    const settled = (settle) => (value) => {
      globalThis.clearTimeout?.(timer);
      settle(value);
    };
    work.then(settled(resolve), settled(reject));
  });
}

/** Resolves after this many milliseconds; at once on a host without timers. */
export const pause = (ms) => new Promise((resolve) => (globalThis.setTimeout ? setTimeout(resolve, ms) : resolve()));
