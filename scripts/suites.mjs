// The suites of `npm test`: each is a command that can also be run by hand, with a time limit in seconds.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib/paths.mjs";
import { WASM_TESTS } from "./lib/wasm-tests.mjs";

const CLIPPY = ["cargo", "clippy", "--locked", "--all-targets"];
const STRICT = ["--", "-D", "warnings"];

/**
 * `quick` suites run with `npm run test:quick`; `counts` says how to count the tests in the output; a suite that `needs` others begins
 * after them, and fails without running if one of them failed, because it would test an older build. One that comes
 * `after` others waits for them, too, but runs even if they failed.
 *
 * Two suites run at a time, of which only one `compiles` with cargo. So each suite has about half the machine, and the limits leave it time
 * for that.
 */
export const suites = [
  { name: "format", seconds: 60, quick: true, command: ["cargo", "fmt", "--all", "--check"] },
  // First, because half of all suites need it.
  { name: "build", compiles: true, seconds: 900, command: ["node", "scripts/build.mjs"] },
  // The SDKs, runtimes and models that suites are tested with are fetched while cargo compiles.
  { name: "downloads", seconds: 600, command: ["node", "scripts/downloads.mjs"] },
  { name: "clippy", compiles: true, seconds: 900, quick: true, command: [...CLIPPY, ...STRICT] },
  { name: "clippy, wasm32", compiles: true, seconds: 900, command: ["cargo", "clippy", "--locked", "--lib", "--test", "node", "--test", "web", "--target", "wasm32-unknown-unknown", ...STRICT] },
  { name: "tokenizer", compiles: true, seconds: 600, counts: "cargo", command: ["cargo", "test", "--locked", "--package", "tokenizer"] },
  { name: "tokenizer, clippy", compiles: true, seconds: 300, command: ["cargo", "clippy", "--locked", "--package", "tokenizer", "--all-targets", ...STRICT] },
  { name: "tokenizer, its part, clippy", compiles: true, seconds: 300, command: ["cargo", "clippy", "--locked", "--package", "tokenizer", "--no-default-features", ...STRICT] },
  // On the tokenizer.json files of nine models. `node tests/tokenizers/run.mjs --cases 100000` tries more texts.
  { name: "tokenizers of Hugging Face", compiles: true, needs: ["downloads"], seconds: 900, counts: "cargo", command: ["node", "tests/tokenizers/run.mjs"] },
  {
    name: "rust",
    compiles: true,
    seconds: 1500,
    quick: true,
    counts: "cargo",
    command: ["cargo", "test", "--locked", "--no-fail-fast"],
    // A test run never writes into the source tree, and tries the same random cases as the last one. A plain `cargo test` tries new
    // cases each time; CONTEXTFOLD_CASES sets how many.
    extraEnv: { INSTA_UPDATE: "no", PROPTEST_RNG_SEED: process.env.PROPTEST_RNG_SEED ?? "20261121", PROPTEST_DISABLE_FAILURE_PERSISTENCE: "1" },
  },
  // wasm-bindgen's test runner (.cargo/config.toml) runs them in Node and in Chrome. `wasm-pack test` would compile all tests for wasm32.
  {
    name: "wasm in node and chrome",
    compiles: true,
    seconds: 900,
    counts: "cargo",
    command: ["cargo", ...WASM_TESTS, "--test", "node", "--test", "web"],
    extraEnv: { CHROMEDRIVER: "chromedriver" },
  },
  // Opens the tests that cargo has just compiled for Chrome.
  { name: "firefox and webkit", needs: ["build"], after: ["wasm in node and chrome"], seconds: 600, counts: "node", command: nodeTests("tests/browsers") },
  { name: "types", needs: ["build"], seconds: 240, command: ["tsc", "--project", "tests/types"] },
  { name: "sdk types", needs: ["build"], seconds: 240, command: ["tsc", "--project", "tests/types/sdk"] },
  { name: "reference types", needs: ["build"], seconds: 60, command: ["node", "scripts/dts.mjs"] },
  { name: "stores", needs: ["build", "downloads"], seconds: 900, counts: "node", command: nodeTests("tests/stores") },
  { name: "package", needs: ["build", "downloads"], seconds: 900, counts: "node", command: nodeTests("tests/package") },
  { name: "integrations", needs: ["build", "downloads"], seconds: 1500, counts: "node", command: ["node", "tests/integrations/run.mjs"] },
  { name: "chat templates", needs: ["build", "downloads"], seconds: 240, counts: "node", command: nodeTests("tests/templates") },
  { name: "page", needs: ["build"], seconds: 900, counts: "node", command: nodeTests("tests/page") },
  {
    name: "typescript",
    seconds: 900,
    quick: true,
    needs: ["build"],
    counts: "node",
    command: nodeTests("tests/ts"),
  },
  // Always the same seeds, however fast the machine is, so that a failure is reproducible. `npm run fuzz` tries new ones.
  { name: "fuzz", compiles: true, needs: ["build"], after: ["rust"], seconds: 600, command: ["node", "scripts/fuzz.mjs", "--engine", "--crafted", "--module", "--tested", "--seconds", "12", "--scripts", "100", "--from", "1"] },
  { name: "fuzz, walk", needs: ["build"], seconds: 600, command: ["node", "scripts/fuzz.mjs", "--walk", "--operations", "1000", "--from", "1"] },
];

for (const [at, { name, needs = [], after = [] }] of suites.entries())
  for (const needed of [...needs, ...after]) if (!suites.slice(0, at).some((suite) => suite.name === needed)) throw new Error(`"${name}" needs "${needed}", which is not before it in the list`);

/**
 * Runs the *.test.mjs and *.test.ts files of a folder with Node's test runner, two files at a time: its default on two cores is one,
 * and most tests of stores and pages wait.
 */
function nodeTests(folder) {
  const files = readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.test\.(mjs|ts)$/.test(name) && !name.includes("node_modules"))
    .sort()
    .map((name) => `${folder}/${name}`);
  return ["node", "--import", "./scripts/lib/typescript-loader.mjs", "--test", "--test-concurrency=2", "--test-reporter=spec", ...files];
}
