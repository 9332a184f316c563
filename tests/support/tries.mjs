// Another try for what sometimes does not start: browsers, drivers and servers.

/** What `start` resolves to; it gets three tries. If all fail, an error that says why each did. */
export async function withTries(what, start) {
  const failures = [];
  for (let tries = 0; tries < 3; tries++)
    try {
      return await start();
    } catch (error) {
      failures.push(error.message);
    }
  throw new Error(`${what} does not start: ${failures.join("; ")}`);
}
