// Runs suites two at a time, so that one computes while another waits for servers, browsers and timers.

/**
 * Begins each suite as soon as there is room for it and all suites that it `needs` or comes `after` have ended. Suites that `compile` use
 * all cores and lock cargo's folder, so only one of them runs at a time, and it goes first. Resolves to all results, in the order of the
 * list.
 *
 * @param run Runs a suite; gets the results of those that it needs. Resolves to its result.
 */
export function runQueue(suites, run, atOnce = 2) {
  const waiting = [...suites];
  const running = new Set();
  const results = new Map();
  const chosen = (names = []) => names.filter((name) => suites.some((suite) => suite.name === name));
  return new Promise((resolve, reject) => {
    const next = () => {
      const ready = waiting.filter((suite) => chosen([...(suite.needs ?? []), ...(suite.after ?? [])]).every((name) => results.has(name)));
      const compiles = [...running].some((suite) => suite.compiles);
      return ready.find((suite) => suite.compiles && !compiles) ?? ready.find((suite) => !suite.compiles);
    };
    const begin = async (suite) => {
      waiting.splice(waiting.indexOf(suite), 1);
      running.add(suite);
      const result = await run(suite, chosen(suite.needs).map((name) => results.get(name)));
      running.delete(suite);
      results.set(suite.name, result);
      proceed();
    };
    const proceed = () => {
      for (let suite; running.size < atOnce && (suite = next()); ) begin(suite).catch(reject);
      if (running.size === 0) resolve(suites.map(({ name }) => results.get(name)));
    };
    proceed();
  });
}
