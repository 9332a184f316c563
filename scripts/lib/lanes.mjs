// Runs suites in two lanes, so that one computes while another waits for servers, browsers and timers.

/**
 * Each lane runs its suites one after the other, in the order of the list: those that are `beside` in one, all others in the other. A suite
 * begins when the suites that it `needs` have ended, which stand before it in the list. Resolves to all results, in the order of the list.
 *
 * @param run Runs a suite; gets the results of those that it needs. Resolves to its result.
 * @param lanes 1 runs them all in one lane.
 */
export function runInLanes(suites, run, lanes = 2) {
  const ends = new Map();
  const lastOf = [];
  for (const suite of suites) {
    const lane = suite.beside && lanes > 1 ? 1 : 0;
    const needed = (suite.needs ?? []).filter((name) => ends.has(name)).map((name) => ends.get(name)); // the others were not chosen
    const result = Promise.all([lastOf[lane], ...needed]).then(([, ...results]) => run(suite, results));
    ends.set(suite.name, result);
    lastOf[lane] = result;
  }
  return Promise.all(ends.values());
}
