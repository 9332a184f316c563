// `npm run build`: builds the generated part of the package, pkg/wasm. Skips what is up to date.
//
//   contextfold_bg.wasm, contextfold_bg.js                     by wasm-pack, then wasm-opt and scripts/lib/split.mjs
//   contextfold.d.cts, contextfold.d.ts                        its types, for CommonJS and for ES modules
//   tokenizer.wasm, tokenizer-bpe.wasm                         the module for `loadTokenizer`, and the part of it that most models need,
//                                                              by cargo, then wasm-opt
//   ../encodings                                               the vocabularies, by scripts/encodings.mjs
//   ../THIRD-PARTY-NOTICES.txt                                 the licences of the code in them, by scripts/lib/notices.mjs
//   cjs/, ../*.bundle.js                                       the Node entries in few files, and their types, by scripts/lib/bundles.mjs
//
//   npm run build -- --quick   larger and slower code, built in a fraction of the time: for trying a change

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { hashOfSources, isBuilt, markBuilt } from "./lib/built.mjs";
import { coreOf } from "./lib/core.mjs";
import { env, targetDir, wasmDir } from "./lib/paths.mjs";
import { remapped, withoutCommit } from "./lib/portable.mjs";
import { writeNotices } from "./lib/notices.mjs";
import { must } from "./lib/run.mjs";

const module = join(wasmDir, "contextfold_bg.wasm");

must("node", ["scripts/encodings.mjs"]); // first: the split below runs a session that counts with them
if (process.argv.includes("--quick")) {
  pack(["--profile", "quick"]);
  await split();
  tokenizer("quick");
} else if (!isBuilt()) {
  const sources = hashOfSources();
  pack(["--release"], remapped(env)); // only here: with other flags, a quick build would lose its cache
  optimize(module, module, "debuginfo"); // the names of the functions, which the split orders
  await split();
  tokenizer("release", remapped(env));
  markBuilt(sources);
}
removeLeftovers();
const { writeBundles } = await import("./lib/bundles.mjs"); // imported late: esbuild is only there after the set-up
await writeBundles();
writeNotices();
report();

/** Builds for the "bundler" target, with types. The glue is one file that takes any instance; the entries in pkg/ pass one in. */
function pack(profile, environment = env) {
  must("wasm-pack", ["build", ...profile, "--out-dir", "pkg/wasm", "--no-pack"], { env: environment });
  // One declaration for both kinds of modules: TypeScript lets an ES module import the types of a CommonJS one, but not the reverse.
  const declarations = join(wasmDir, "contextfold.d.ts");
  writeFileSync(join(wasmDir, "contextfold.d.cts"), withFreeing(readFileSync(declarations, "utf8")));
  writeFileSync(declarations, 'export * from "./contextfold.cjs";\n');
  // The reference is in the declarations. In the glue, and in the bundles that contain the glue, nobody reads it.
  const glue = join(wasmDir, "contextfold_bg.js");
  writeFileSync(glue, withoutDocComments(readFileSync(glue, "utf8")));
}

/** Removes the doc comments, which stand in lines of their own. */
function withoutDocComments(text) {
  return text.replace(/^ *\/\*\*(?:[^*]|\*(?!\/))*\*\/\n/gm, "");
}

/** Adds doc comments to the methods that bindgen adds to every class, and the library that declares `Symbol.dispose`, which they name. */
function withFreeing(text) {
  return `/// <reference lib="esnext.disposable" />\n${text}`
    .replace(/^    free\(\): void;$/gm, "    /** Frees its memory at once, not when it is collected. A use afterwards throws `FREED`; freeing twice does nothing. */\n$&")
    .replace(/^    \[Symbol\.dispose\]\(\): void;$/gm, "    /** `free`, for `using`. */\n$&");
}

/**
 * Needs no feature flags: wasm-opt reads from the module which features it may use. Its levels (-O3, -Oz) make the module smaller but
 * its download a tenth larger, because inlined and renumbered code compresses worse. So these passes only remove what is unused, shorten
 * instructions and put the most used locals first.
 */
function optimize(from, to, ...more) {
  const passes = ["dce", "duplicate-function-elimination", "rse", "vacuum", "optimize-instructions", "reorder-locals", "strip-producers", ...more];
  must("wasm-opt", [...passes.map((pass) => `--${pass}`), from, "-o", `${to}.opt`]);
  writeFileSync(to, withoutCommit(readFileSync(`${to}.opt`)));
  rmSync(`${to}.opt`);
}

async function split() {
  const { writeSplit } = await import("./lib/split.mjs"); // imported late: binaryen is only there after the set-up
  writeSplit(readFileSync(module));
}

/** Builds the tokenizer modules. They have no glue: their functions take and return numbers. */
function tokenizer(profile, environment = env) {
  for (const [name, ...features] of [["tokenizer"], ["tokenizer-bpe", "--no-default-features"]]) {
    must("cargo", ["build", "--quiet", "--locked", "--package", "tokenizer", "--lib", "--profile", profile, "--target", "wasm32-unknown-unknown", ...features], { env: environment });
    const built = join(targetDir, "wasm32-unknown-unknown", profile, "tokenizer.wasm");
    const module = join(wasmDir, `${name}.wasm`);
    optimize(built, module, "reorder-functions-by-name", "strip-debug"); // by name, the instances of a generic function are side by side
  }
}

/** Removes wasm-pack's own package files (its .gitignore would exclude the folder from the npm package) and files of older builds. */
function removeLeftovers() {
  for (const name of [".gitignore", "package.json", "README.md", "LICENSE-MIT", "LICENSE-APACHE", "contextfold.js", "core.wasm"])
    rmSync(join(wasmDir, name), { force: true });
}

function report() {
  const size = (n) => `${(n / 1024).toFixed(1)} KiB`;
  const files = ["contextfold_bg.wasm", "tokenizer.wasm", "tokenizer-bpe.wasm"].map((name) => [name, readFileSync(join(wasmDir, name))]);
  for (const [name, bytes] of [...files, ["what Node reads of the first on import", coreOf(files[0][1])]])
    console.log(`${name}: ${size(bytes.length)}, ${size(brotliCompressSync(bytes).length)} with brotli`);
}
