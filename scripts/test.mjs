// `npm test`: sets up, then runs every suite within its time limit, and prints a table and the sums at the end.
//
//   npm test                  everything
//   npm run test:quick        the two-minute part, on the package as it is built
//   npm test -- page types    the suites with these words in their names
//   npm test -- --verbose     shows all output as it comes, one suite after the other
//   npm test -- --list        lists the suites and their commands

import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { isBuilt } from "./lib/built.mjs";
import { countTests } from "./lib/counts.mjs";
import { runQueue } from "./lib/queue.mjs";
import { root, targetDir } from "./lib/paths.mjs";
import { fail, must } from "./lib/run.mjs";
import { runWithin } from "./lib/within.mjs";
import { suites } from "./suites.mjs";

const options = { quick: { type: "boolean" }, verbose: { type: "boolean" }, list: { type: "boolean" } };
const { quick, verbose, list, words } = readArguments();
const chosen = suites.filter((s) => (!quick || s.quick) && (words.length === 0 || words.some((w) => s.name.includes(w))));
if (chosen.length === 0) fail(`no suite is called so; there are: ${suites.map((s) => s.name).join(" · ")}`);

if (list) {
  for (const { name, seconds, command } of chosen) console.log(`${name} (${seconds} s at most): ${shown(command)}`);
  process.exit();
}

const logs = join(targetDir, "test-logs");
mkdirSync(logs, { recursive: true });

const needsBrowser = chosen.some((s) => /chrome|pa(ge|ckage)|firefox/.test(s.name));
const needsRedis = chosen.some((s) => s.name === "typescript");
const needsStores = chosen.some((s) => s.name === "stores");
const brought = [needsBrowser && "--browsers", needsRedis && "--redis", needsStores && "--stores"].filter(Boolean);
must("node", ["scripts/setup.mjs", ...brought]);
if (!chosen.some((s) => s.name === "build") && !isBuilt()) console.log("▸ pkg/wasm is older than src: `npm run build` renews it");

const begun = performance.now();
const run = (suite, needed) => {
  const missing = needed.find(({ problem }) => problem);
  return missing ? unrun(suite, missing) : runSuite(suite);
};
report(await runQueue(chosen, run, verbose ? 1 : 2));

/** Refuses unknown options: a whole run takes too long to be started by mistake. */
function readArguments() {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    return { ...values, words: positionals };
  } catch (error) {
    return fail(error.message);
  }
}

async function runSuite(suite) {
  console.log(`▸ ${suite.name}: ${shown(suite.command)}`);
  const started = performance.now();
  let text = "";
  const { code, late } = await runWithin(suite.seconds, suite.command, {
    extraEnv: suite.extraEnv,
    onText: (chunk) => {
      text += chunk;
      if (verbose) process.stdout.write(chunk);
    },
  });
  const seconds = (performance.now() - started) / 1000;
  const counted = suite.counts ? countTests(suite.counts, text) : { passed: code === 0 ? 1 : 0, failed: 0 };
  const problem = problemOf(suite, { code, late }, counted);
  if (problem && counted.failed === 0) counted.failed = 1;
  const log = join(logs, `${suite.name.replace(/\W+/g, "-")}.log`);
  writeFileSync(log, text);
  if (problem && !verbose) console.log(text.split("\n").slice(-150).join("\n"));
  console.log(problem ? `✗ ${suite.name}: ${problem}; all of its output is in ${relative(root, log)}` : `✓ ${suite.name}: ${seconds.toFixed(1)} s`);
  return { name: suite.name, seconds, ...counted, problem };
}

function unrun(suite, missing) {
  const problem = `not run, because "${missing.name}" failed`;
  console.log(`✗ ${suite.name}: ${problem}`);
  return { name: suite.name, seconds: 0, passed: 0, failed: 1, problem };
}

/** What is wrong with a suite's result, or null. A suite that succeeds but ran no test is wrong, too. */
function problemOf(suite, { code, late }, counted) {
  if (late) return `ran out of its ${suite.seconds} s and was ended`;
  if (code !== 0) return `ended with ${code}`;
  if (counted.failed > 0) return `${counted.failed} failed`;
  if (suite.counts && counted.passed === 0) return "ran no test";
  return null;
}

function report(results) {
  const width = Math.max(...results.map((r) => r.name.length));
  console.log();
  for (const r of results) {
    const count = `${r.passed} passed, ${r.failed} failed`;
    console.log(`${r.problem ? "✗" : "✓"} ${r.name.padEnd(width)}  ${r.seconds.toFixed(1).padStart(6)} s  ${count}`);
  }
  const sum = (key) => results.reduce((total, r) => total + r[key], 0);
  // Less than the sum of the seconds, because suites run beside each other.
  console.log(`  ${"all".padEnd(width)}  ${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s\n`);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  process.exitCode = results.some((r) => r.problem) ? 1 : 0;
}

/** A command as a person would type it, without long lists of files. */
function shown(command) {
  return command.length > 8 ? `${command.slice(0, 4).join(" ")} …` : command.join(" ");
}
