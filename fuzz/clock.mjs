// The scripts' clock. Time passes only when nothing else can happen: waiting two minutes for a lease takes no real time, and a seed
// gives the same run on any machine. Waiting for something that never comes is reported, so that no script hangs.

/** After this many turns of the event loop with nothing to wait for, it is reported. The host may need some turns of its own. */
const IDLE_TURNS = 200;

const immediate = globalThis.setImmediate;
let now = 1_700_000_000_000;
let timers = [];
let [numbered, ticking] = [0, 0];

/** Resolves at the next turn of the event loop; no time passes. */
export function tick() {
  ticking++;
  return new Promise((resolve) =>
    immediate(() => {
      ticking--;
      resolve();
    }),
  );
}

/** Lets this many milliseconds pass. */
export function pass(ms) {
  const until = now + ms;
  while (timers.length > 0 && timers[0].at <= until) ring();
  now = until;
}

/** Fires the next timer. */
function ring() {
  const timer = timers.shift();
  now = Math.max(now, timer.at);
  timer.ring();
}

/** The outcome of `work`; `null` if it waits for something that never comes. */
export async function ended(work) {
  let end = null;
  work.then((value) => (end = { value }), (error) => (end = { error }));
  for (let idle = 0; end === null && idle < IDLE_TURNS; ) {
    await new Promise((resolve) => immediate(resolve));
    if (end !== null || ticking > 0) continue;
    if (timers.length > 0) ring();
    else idle++;
  }
  if (end && "error" in end) throw end.error;
  return end;
}

/** Replaces the host's timers and clock. */
export function install() {
  globalThis.setTimeout = (callback, ms = 0, ...args) => {
    const timer = { id: ++numbered, at: now + Math.max(0, Number(ms) || 0), ring: () => callback(...args) };
    const after = timers.findIndex((other) => other.at > timer.at);
    timers.splice(after < 0 ? timers.length : after, 0, timer);
    return timer.id;
  };
  globalThis.clearTimeout = (id) => {
    timers = timers.filter((timer) => timer.id !== id);
  };
  Date.now = () => now;
}

/** Removes all timers, so that none of this script fires in the next one. */
export function reset() {
  timers = [];
}
