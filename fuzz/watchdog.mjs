// Ends the process if a script computes without end: the one case that the scripts' clock cannot detect.

import { Worker } from "node:worker_threads";

/** The seconds that one script may take. Most take a few milliseconds. */
export const LIMIT = 60;

// A worker's console goes through the main thread, which is busy here, so the worker writes to the stream directly.
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

/** Starts watching. Returns a function to call with the seed of each script as it begins, and with -1 when none runs. */
export function watched() {
  const state = new Float64Array(new SharedArrayBuffer(16)); // the number of scripts begun, and the seed of the current one
  new Worker(watch, { eval: true, workerData: { state, limit: LIMIT } }).unref();
  return (seed) => {
    state[1] = seed;
    state[0]++;
  };
}
