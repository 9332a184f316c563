// `node scripts/same-bytes.mjs`: clones the last commit into two folders, builds both in release mode from scratch, and compares the
// results file by file. Exits with 1 if a byte differs. Takes as long as two first builds.

import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./lib/paths.mjs";
import { fail, must, output } from "./lib/run.mjs";

const NAMES = ["one", "another-one-with-a-longer-name"]; // if a path got into the module, its length would move everything after it

const folder = mkdtempSync(join(tmpdir(), "contextfold-same-bytes-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true })); // also when `must` or `fail` exits
process.on("SIGINT", () => process.exit(130));

if (output("git", ["status", "--porcelain"])) console.log("▸ what is not committed is not built");
const [one, other] = NAMES.map((name) => built(join(folder, name)));

const files = [...new Set([...one.keys(), ...other.keys()])].sort();
const differ = files.filter((file) => one.get(file) !== other.get(file));
for (const file of files.filter((file) => file.endsWith(".wasm"))) console.log(`${one.get(file)}  ${file}`);
if (differ.length > 0) fail(`${differ.length} of ${files.length} files differ: ${differ.join(", ")}`);
console.log(`✓ ${files.length} files, the same in both folders`);

/** Clones and builds in a folder. Returns the hash of every file in its pkg. */
function built(at) {
  must("git", ["clone", "--quiet", "--no-hardlinks", root, at]);
  // Its own target folder, because a shared one would reuse the first folder's work. And its own npm tools.
  const { CARGO_TARGET_DIR: _, ...env } = process.env;
  must("npm", ["run", "build"], { cwd: at, env });
  const pkg = join(at, "pkg");
  const files = readdirSync(pkg, { recursive: true }).filter((name) => statSync(join(pkg, name)).isFile());
  if (!files.some((name) => name.endsWith(".wasm"))) fail(`the build in ${at} left no module`);
  return new Map(files.map((name) => [name, createHash("sha256").update(readFileSync(join(pkg, name))).digest("hex")]));
}
