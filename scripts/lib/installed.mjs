// Installs the packages of a folder's own package-lock.json in that folder, so that the root's stays small.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { hashOf } from "./hash.mjs";
import { readNote, writeNote } from "./notes.mjs";
import { root } from "./paths.mjs";
import { mustFetch } from "./run.mjs";

/** Installs once per state of the lock file. */
export function install(folder) {
  const lock = hashOf([`${folder}/package-lock.json`]);
  const note = `installed-${folder.replaceAll("/", "-")}`;
  if (readNote(note) === lock && existsSync(join(root, folder, "node_modules"))) return;
  mustFetch("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: join(root, folder) });
  writeNote(note, lock);
}

const RUNTIMES = "tests/package/runtimes";

/** The path of Node with this major version, from `tests/package/runtimes`. */
export function nodeOf(major) {
  install(RUNTIMES);
  return join(root, RUNTIMES, "node_modules", `node-${major}`, "bin/node");
}
