// The suites of `npm test`: each is a command that can also be run by hand, with a time limit in seconds.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib/paths.mjs";

const CLIPPY = ["cargo", "clippy", "--locked", "--all-targets"];
const STRICT = ["--", "-D", "warnings"];

/**
 * `quick` suites run with `npm run test:quick`; `counts` says how to count the tests in the output; a suite that `needs` another one fails
 * without running if that one failed, because it would test an older build.
 */
export const suites = [
  { name: "format", seconds: 60, quick: true, command: ["cargo", "fmt", "--all", "--check"] },
  { name: "clippy", seconds: 600, quick: true, command: [...CLIPPY, ...STRICT] },
  { name: "clippy, wasm32", seconds: 600, command: ["cargo", "clippy", "--locked", "--lib", "--test", "node", "--test", "web", "--target", "wasm32-unknown-unknown", ...STRICT] },
  { name: "tokenizer", seconds: 600, counts: "cargo", command: ["cargo", "test", "--locked", "--package", "tokenizer"] },
  { name: "tokenizer, clippy", seconds: 300, command: ["cargo", "clippy", "--locked", "--package", "tokenizer", "--all-targets", ...STRICT] },
  { name: "tokenizer, its part, clippy", seconds: 300, command: ["cargo", "clippy", "--locked", "--package", "tokenizer", "--no-default-features", ...STRICT] },
  // Fetches the tokenizer.json files of nine models. `node tests/tokenizers/run.mjs --cases 100000` tries more texts.
  { name: "tokenizers of Hugging Face", seconds: 600, counts: "cargo", command: ["node", "tests/tokenizers/run.mjs"] },
  {
    name: "rust",
    seconds: 900,
    quick: true,
    counts: "cargo",
    command: ["cargo", "test", "--locked", "--no-fail-fast"],
    // A test run never writes into the source tree, and tries the same random cases as the last one. A plain `cargo test` tries new
    // cases each time; CONTEXTFOLD_CASES sets how many.
    extraEnv: { INSTA_UPDATE: "no", PROPTEST_RNG_SEED: process.env.PROPTEST_RNG_SEED ?? "20261121", PROPTEST_DISABLE_FAILURE_PERSISTENCE: "1" },
  },
  // wasm-bindgen's test runner (.cargo/config.toml) runs them in Node and in Chrome. `wasm-pack test` would compile all tests for wasm32.
  { name: "wasm in node and chrome", seconds: 900, counts: "cargo", command: ["cargo", "test", "--locked", "--target", "wasm32-unknown-unknown", "--test", "node", "--test", "web"], extraEnv: { CHROMEDRIVER: "chromedriver" } },
  { name: "build", seconds: 900, command: ["node", "scripts/build.mjs"] },
  {
    name: "typescript",
    seconds: 420,
    quick: true,
    needs: "build",
    counts: "node",
    command: nodeTests("tests/ts"),
  },
  { name: "types", needs: "build", seconds: 120, command: ["tsc", "--project", "tests/types"] },
  { name: "sdk types", needs: "build", seconds: 120, command: ["tsc", "--project", "tests/types/sdk"] },
  { name: "reference types", needs: "build", seconds: 30, command: ["node", "scripts/dts.mjs"] },
  { name: "stores", needs: "build", seconds: 900, counts: "node", command: nodeTests("tests/stores") },
  { name: "package", needs: "build", seconds: 600, counts: "node", command: nodeTests("tests/package") },
  { name: "integrations", needs: "build", seconds: 1200, counts: "node", command: ["node", "tests/integrations/run.mjs"] },
  // Always the same seeds, so that a failure is reproducible. `npm run fuzz` tries new ones.
  { name: "fuzz", needs: "build", seconds: 300, command: ["node", "scripts/fuzz.mjs", "--engine", "--crafted", "--module", "--tested", "--seconds", "12", "--from", "1"] },
  { name: "fuzz, walk", needs: "build", seconds: 300, command: ["node", "scripts/fuzz.mjs", "--walk", "--operations", "20000", "--seconds", "110", "--from", "1"] },
  { name: "chat templates", needs: "build", seconds: 180, counts: "node", command: nodeTests("tests/templates") },
  { name: "page", needs: "build", seconds: 600, counts: "node", command: nodeTests("tests/page") },
  { name: "firefox and webkit", needs: "build", seconds: 300, counts: "node", command: nodeTests("tests/browsers") },
];

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
