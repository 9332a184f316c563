// `npm run build`: the package's generated half, pkg/wasm. Skips what is up to date.
//
//   contextfold_bg.wasm, contextfold_bg.js                     by wasm-pack, then wasm-opt
//   contextfold.d.cts, contextfold.d.ts                        its types, for both kinds of modules
//   core.wasm                                                  what Node loads of it at first, by scripts/lib/split.mjs
//   tokenizer.wasm, tokenizer-bpe.wasm                         what `loadTokenizer` counts with, and the part of it that most models need,
//                                                              by cargo, then wasm-opt
//   ../encodings                                               the vocabularies, by scripts/encodings.mjs
//   ../THIRD-PARTY-NOTICES.txt                                 the licences of what is in them, by scripts/lib/notices.mjs
//   cjs/, ../*.bundle.js                                       the Node entries as few files, and their types, by scripts/lib/bundles.mjs
//
//   npm run build -- --quick   larger and slower, but there in a fraction of the time: to try a change with

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { isBuilt, markBuilt } from "./lib/built.mjs";
import { env, targetDir, wasmDir } from "./lib/paths.mjs";
import { remapped, withoutCommit } from "./lib/portable.mjs";
import { writeNotices } from "./lib/notices.mjs";
import { must } from "./lib/run.mjs";

const module = join(wasmDir, "contextfold_bg.wasm");

must("node", ["scripts/encodings.mjs"]); // what the core is comes of a run that counts by them
if (process.argv.includes("--quick")) {
  pack(["--profile", "quick"]);
  await split();
  tokenizer("quick");
} else if (!isBuilt()) {
  pack(["--release"], remapped(env)); // a quick build keeps its cache: no flags of its own
  optimize();
  writeFileSync(module, withoutCommit(readFileSync(module)));
  await split();
  tokenizer("release", remapped(env));
  markBuilt();
}
removeLeftovers();
const { writeBundles } = await import("./lib/bundles.mjs"); // late: esbuild is there only after the set-up
await writeBundles();
writeNotices();
report();

/** Bundler target, as typed: the glue in one file that takes any instance, which the entries in pkg/ hand in. */
function pack(profile, environment = env) {
  must("wasm-pack", ["build", ...profile, "--out-dir", "pkg/wasm", "--no-pack"], { env: environment });
  // Once for both kinds of modules: TypeScript lets an ES module take the types of a CommonJS one, not the other way round.
  const declarations = join(wasmDir, "contextfold.d.ts");
  writeFileSync(join(wasmDir, "contextfold.d.cts"), withFreeing(readFileSync(declarations, "utf8")));
  writeFileSync(declarations, 'export * from "./contextfold.cjs";\n');
}

/** The methods that bindgen adds to every class, with a word on each. */
function withFreeing(text) {
  return text
    .replace(/^    free\(\): void;$/gm, "    /** Frees its memory at once, not when it is collected. A use afterwards throws `FREED`; freeing twice does nothing. */\n$&")
    .replace(/^    \[Symbol\.dispose\]\(\): void;$/gm, "    /** `free`, for `using`. */\n$&");
}

/**
 * No feature flags: wasm-opt reads from the module which ones it may use. Its levels (-O3, -Oz) make the module smaller and its
 * download a tenth larger, for what they inline and renumber is no longer alike. So only what nobody needs goes, an instruction
 * becomes a shorter one, and the locals that are used most come first; and functions stand in the order of their names, a generic one's
 * instances beside each other, which brotli likes.
 */
function optimize() {
  const passes = ["dce", "duplicate-function-elimination", "rse", "vacuum", "optimize-instructions", "reorder-locals", "reorder-functions-by-name", "strip-debug", "strip-producers"];
  must("wasm-opt", [...passes.map((pass) => `--${pass}`), module, "-o", `${module}.opt`]);
  renameSync(`${module}.opt`, module);
}

async function split() {
  const { writeSplit } = await import("./lib/split.mjs");
  await writeSplit(readFileSync(module));
}

/** Modules without glue: their functions take and give numbers. */
function tokenizer(profile, environment = env) {
  for (const [name, ...features] of [["tokenizer"], ["tokenizer-bpe", "--no-default-features"]]) {
    must("cargo", ["build", "--quiet", "--locked", "--package", "tokenizer", "--lib", "--profile", profile, "--target", "wasm32-unknown-unknown", ...features], { env: environment });
    const built = join(targetDir, "wasm32-unknown-unknown", profile, "tokenizer.wasm");
    const module = join(wasmDir, `${name}.wasm`);
    must("wasm-opt", ["--strip-debug", "--strip-producers", built, "-o", module]);
    writeFileSync(module, withoutCommit(readFileSync(module)));
  }
}

/** wasm-pack's own package files (its .gitignore would keep the whole folder out of the packed package), and what older builds left. */
function removeLeftovers() {
  for (const name of [".gitignore", "package.json", "README.md", "LICENSE-MIT", "LICENSE-APACHE", "contextfold.js", "rest.wasm", "base64.js"])
    rmSync(join(wasmDir, name), { force: true });
}

function report() {
  const size = (n) => `${(n / 1024).toFixed(1)} KiB`;
  for (const name of ["contextfold_bg.wasm", "core.wasm", "tokenizer.wasm", "tokenizer-bpe.wasm"]) {
    const bytes = readFileSync(join(wasmDir, name));
    console.log(`${name}: ${size(bytes.length)}, ${size(brotliCompressSync(bytes).length)} with brotli`);
  }
}
