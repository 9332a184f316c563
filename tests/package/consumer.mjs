// The package as npm packs it, installed into an empty folder.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env, root } from "../../scripts/lib/paths.mjs";

/** The output of the command; if it fails, an error with all of its output. */
export function run(command, args, { cwd = root, extraEnv = {} } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env: { ...env, ...extraEnv }, encoding: "utf8", timeout: 120_000 });
  assert.equal(status, 0, `${command} ${args.join(" ")} ended with ${status ?? error}:\n${stdout}${stderr}`);
  return stdout;
}

/** Packs and installs it: `{ tarball, consumer, installed, remove }`. */
export function installPacked() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "contextfold-package-")));
  run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder, "--silent"]);
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")));
  const consumer = join(folder, "consumer");
  mkdirSync(consumer);
  writeFileSync(join(consumer, "package.json"), '{ "private": true }');
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--silent", tarball], { cwd: consumer });
  return { tarball, consumer, installed: join(consumer, "node_modules/contextfold"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
