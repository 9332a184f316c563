// The scripts' time. It passes only where nothing else can happen: who waits two minutes for a lease waits no time at all, and
// a seed gives the same run on any machine. Who waits for what never comes is told, so that no script hangs.

/** Turns of the event loop without anything to wait for, until that is a finding: a host may need some of its own. */
const IDLE_TURNS = 200;

const immediate = globalThis.setImmediate;
let now = 1_700_000_000_000;
let timers = [];
let [numbered, ticking] = [0, 0];

/** The next turn of the event loop; no time passes. */
export function tick() {
  ticking++;
  return new Promise((resolve) =>
    immediate(() => {
      ticking--;
      resolve();
    }),
  );
}

/** Lets so many milliseconds pass. */
export function pass(ms) {
  const until = now + ms;
  while (timers.length > 0 && timers[0].at <= until) ring();
  now = until;
}

/** The next timer rings. */
function ring() {
  const timer = timers.shift();
  now = Math.max(now, timer.at);
  timer.ring();
}

/** What the work comes to. `null` where it waits for what never comes. */
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

/** Takes the place of the host's timers and clock. */
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

/** Nothing of the last script rings in the next. */
export function reset() {
  timers = [];
}
