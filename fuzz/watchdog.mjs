// Ends the process where a script computes without end: the one thing that time cannot tell from within.

import { Worker } from "node:worker_threads";

/** How long one script may take, in seconds. Most take some milliseconds. */
export const LIMIT = 60;

// A worker's console goes through the main thread, which is busy: so it writes by itself.
const watch = `
  const { workerData: { state, limit } } = require("node:worker_threads");
  const { writeSync } = require("node:fs");
  let [script, since] = [-1, Date.now()];
  setInterval(() => {
    if (state[0] !== script || state[1] < 0) [script, since] = [state[0], Date.now()];
    else if (Date.now() - since > limit * 1000) {
      writeSync(1, "seed " + state[1] + ": it still computes after " + limit + " s\\nagain: node fuzz/module.mjs --seed " + state[1] + "\\n");
      process.kill(process.pid, "SIGKILL");
    }
  }, 1000);
`;

/** Watches from now on. Gives what is to be told the seed of each script as it begins, and -1 when none runs any more. */
export function watched() {
  const state = new Float64Array(new SharedArrayBuffer(16)); // scripts begun, and the seed of the one that runs
  new Worker(watch, { eval: true, workerData: { state, limit: LIMIT } }).unref();
  return (seed) => {
    state[1] = seed;
    state[0]++;
  };
}
