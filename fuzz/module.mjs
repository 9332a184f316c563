// Random scripts against the built package: values of any shape from JavaScript, in any order. `npm run fuzz` runs it.
//
//   node fuzz/module.mjs --seconds 20 [--from N]   seeds one after the other
//   node fuzz/module.mjs --seed N                  one of them again
//   node fuzz/module.mjs --script FILE             a script as it was printed
//
// A seed gives a script, plain JSON: options, operations, answers of the summariser. A script that fails is made smaller and printed.
//
// No script hangs. Time passes only when nothing else can happen (`clock.mjs`), so none really waits, and one that waits for something
// that never comes fails. One that computes without end is stopped and reported (`watchdog.mjs`).

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./run.mjs";
import { scriptOf } from "./script.mjs";
import { LIMIT, watched } from "./watchdog.mjs";

/** At most this many child processes are started to make a script smaller. */
const SHRINKS = 60;

const given = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? null : process.argv[at + 1];
};

const only = given("seed");
const note = given("note"); // a file with the current seed, for the parent process if this one crashes
const file = given("script");
if (file) {
  const problem = await run(JSON.parse(readFileSync(file, "utf8")));
  if (problem) console.log(problem);
  process.exit(problem ? 1 : 0);
}

const from = Number(only ?? given("from") ?? 1);
const until = performance.now() + 1000 * Number(given("seconds") ?? 20);
let [scripts, operations, seed] = [0, 0, from];
let problem = null;
const begins = watched();
for (; problem === null; seed++) {
  begins(seed);
  if (note) writeFileSync(note, String(seed));
  const script = scriptOf(seed);
  problem = await run(script);
  scripts++;
  operations += script.ops.length;
  if (only !== null || performance.now() > until) break;
}
begins(-1);
console.log(`module: ${scripts} scripts, ${operations} operations, seeds ${from} to ${from + scripts - 1}`);
if (problem) {
  const failed = from + scripts - 1;
  console.log(`seed ${failed}: ${problem}\nthe smallest script that fails:\n${JSON.stringify(smaller(scriptOf(failed)))}`);
  console.log(`again: node fuzz/module.mjs --seed ${failed}, or --script FILE with the script`);
  process.exit(1);
}

/** The script without operations and options that the failure does not need. Each try is a process, because a trap makes its module unusable. */
function smaller(script) {
  const folder = mkdtempSync(join(tmpdir(), "contextfold-fuzz-"));
  const path = join(folder, "script.json");
  let tries = 0;
  const fails = (candidate) => {
    if (tries++ >= SHRINKS) return false;
    writeFileSync(path, JSON.stringify(candidate));
    return spawnSync(process.execPath, [fileURLToPath(import.meta.url), "--script", path], { timeout: LIMIT * 1000 }).status === 1;
  };
  let best = script;
  for (let size = Math.ceil(best.ops.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = best.ops.length - size; at >= 0; at -= size) {
      const candidate = { ...best, ops: best.ops.toSpliced(at, size) };
      if (fails(candidate)) best = candidate;
    }
  for (const key of Object.keys(best.options)) {
    const { [key]: _, ...options } = best.options;
    if (fails({ ...best, options })) best = { ...best, options };
  }
  for (const answer of [{ kind: "good" }, ...best.answers])
    if (fails({ ...best, answers: [answer] })) {
      best = { ...best, answers: [answer] };
      break;
    }
  rmSync(folder, { recursive: true });
  return best;
}
