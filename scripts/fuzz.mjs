// `npm run fuzz`: runs random scripts against the engine and the built package in parallel.
//
//   npm run fuzz -- --minutes 10      or --seconds; the first seed comes from the clock, or from --from N
//   npm run fuzz -- --engine --seed N one seed of the engine again; --module: of the package; --crafted: of altered snapshots
//   npm run fuzz -- --walk            only the walks beside a twin made from a snapshot and from records, one process per format;
//                                     --operations N in each, however long that takes unless a time is given
//   npm run fuzz -- --tested          the engine as `cargo test` built it: a short run without another build

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isBuilt } from "./lib/built.mjs";
import { env, root } from "./lib/paths.mjs";
import { fail, must } from "./lib/run.mjs";

const args = process.argv.slice(2);
const has = (name) => args.includes(`--${name}`);
const number = (name) => {
  if (!has(name)) return null;
  const n = Number(args[args.indexOf(`--${name}`) + 1]);
  return Number.isFinite(n) && n >= 0 ? n : fail(`--${name} takes a number`);
};

const seconds = Math.round((number("minutes") ?? 0) * 60 + (number("seconds") ?? 0)) || 60;
const seed = number("seed");
const from = seed ?? number("from") ?? Math.floor(Date.now() / 1000);
const PARTS = ["engine", "crafted", "module", "walk"];
const named = PARTS.filter(has);
if (seed !== null && (named.length !== 1 || has("walk"))) fail("--seed is one of a part's: add --engine, --crafted or --module; a walk goes again by the line that it prints");
const wants = (part) => named.length === 0 || has(part);

const cargo = ["test", "--locked", ...(has("tested") ? [] : ["--profile", "fuzz"]), "--test", "invariants"];
if ((wants("module") || wants("walk")) && !isBuilt()) must(process.execPath, ["scripts/build.mjs"]);
const runs = [];
const engines = ["engine", "crafted"].filter(wants);
if (engines.length > 0) {
  must("cargo", [...cargo, "--no-run"]);
  const told = seed === null ? { CONTEXTFOLD_FUZZ_FROM: from, CONTEXTFOLD_FUZZ_SECONDS: seconds, ...(has("scripts") && { CONTEXTFOLD_FUZZ_SCRIPTS: number("scripts") }) } : { CONTEXTFOLD_FUZZ_SEED: seed };
  const extraEnv = Object.fromEntries(Object.entries({ ...told, RUST_BACKTRACE: 0 }).map(([key, value]) => [key, String(value)]));
  runs.push(start("cargo", [...cargo, "--", ...engines.map((part) => (part === "engine" ? "fuzz::fuzz" : "crafted::fuzz")), "--exact", "--ignored", "--nocapture"], extraEnv));
}
const notes = mkdtempSync(join(tmpdir(), "contextfold-fuzz-"));
if (wants("walk")) {
  const operations = number("operations") ?? 200_000;
  const within = has("operations") && !has("seconds") && !has("minutes") ? [] : ["--seconds", String(seconds)];
  const told = ["--operations", String(operations), ...within, "--from", String(from)];
  const { FORMATS } = await import("../tests/support/session.mjs"); // imported late: it needs the package, which is built by now
  for (const format of FORMATS) for (const walk of ["walk", "journal"]) runs.push(start(process.execPath, [`fuzz/${walk}.mjs`, ...told, "--format", format], {}));
}
if (wants("module")) {
  const at = join(notes, "seed");
  const told = seed === null ? ["--from", String(from), "--seconds", String(seconds)] : ["--seed", String(seed)];
  const run = start(process.execPath, ["fuzz/module.mjs", ...told, "--note", at], {});
  // A crashed process cannot report its seed, so the seed is in a note.
  runs.push(run.then((code) => (code === null && console.log(`module: its process crashed at seed ${readFileSync(at, "utf8")}`), code)));
}
const ended = await Promise.all(runs);
rmSync(notes, { recursive: true });
process.exit(ended.every((code) => code === 0) ? 0 : 1);

function start(command, list, extraEnv) {
  const child = spawn(command, list, { cwd: root, env: { ...env, ...extraEnv }, stdio: "inherit" });
  return new Promise((resolve) => child.on("close", resolve));
}
