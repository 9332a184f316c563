// Lets a page run tests written for Node's runner: enough of `node:test`, `node:assert`, `node:timers/promises` and `Buffer`.

const tests = [];
let suite = { befores: [], afters: [] };

export function describe(_, options, body = options) {
  const outer = suite;
  if (outer.befores.length === 0) suite = { befores: [], afters: [] };
  body();
  suite = outer;
}
export const before = (hook) => suite.befores.push(hook);
export const after = (hook) => suite.afters.push(hook);
export const test = (name, body) => tests.push({ name, body, suite });

/** Runs the declared tests; returns the names of those that failed, with the reasons, and how many passed. */
export async function runTests() {
  const failed = [];
  const begun = new Set();
  for (const { name, body, suite } of tests) {
    try {
      if (!begun.has(suite)) for (const hook of suite.befores) await hook();
      begun.add(suite);
      await body();
    } catch (error) {
      failed.push(`${name}: ${error.stack}`);
    }
  }
  for (const { afters } of begun) for (const hook of afters) await hook();
  return { passed: tests.length - failed.length, failed };
}

export const setTimeout = (ms) => new Promise((resolve) => globalThis.setTimeout(resolve, ms));

const plain = (value) => JSON.stringify(value, (_, inner) => (inner instanceof Uint8Array ? [...inner] : inner !== null && typeof inner === "object" && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort()) : inner));
const ok = (holds, why = "it does not hold") => {
  if (!holds) throw new Error(why);
};
const assert = {
  ok,
  equal: (a, b, why) => ok(Object.is(a, b), `${why ?? ""} ${plain(a)} is not ${plain(b)}`),
  deepEqual: (a, b, why) => ok(plain(a) === plain(b), `${why ?? ""} ${plain(a)} is not ${plain(b)}`),
  fail: (why) => ok(false, why),
  async rejects(promise, holds) {
    const error = await promise.then(() => null, (thrown) => thrown);
    ok(error !== null, "it did not reject");
    ok(holds(error), String(error));
  },
};
export default assert;

globalThis.Buffer = {
  compare: (a, b) => (a.length === b.length && a.every((byte, i) => byte === b[i]) ? 0 : 1),
  from: (value) => (typeof value === "string" ? new TextEncoder().encode(value) : Uint8Array.from(value)),
};
