// Runs programs.

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { env, root } from "./paths.mjs";

/** Runs a program to its end with our streams. Ends this process with one line if the program fails. */
export function must(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: "inherit", ...options });
  if (error) fail(`cannot run ${command}: ${error.message}`);
  if (status !== 0) fail(`\`${[command, ...args].join(" ")}\` ended with ${status}`);
}

/** `must` for a program that fetches something: a network that fails once may work a moment later, so there are three tries. */
export function mustFetch(command, args, options = {}) {
  for (const pause of [5_000, 30_000]) {
    if (spawnSync(command, args, { cwd: root, env, stdio: "inherit", ...options }).status === 0) return;
    console.log(`▸ \`${command}\` failed; another try in ${pause / 1000} s`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
  }
  must(command, args, options);
}

/** What a program prints, or null if it is missing or fails (with `anyStatus`: only if it is missing). */
export function output(command, args, { anyStatus = false } = {}) {
  const { status, stdout, error } = spawnSync(command, args, { cwd: root, env, encoding: "utf8" });
  return !error && (status === 0 || anyStatus) ? stdout.trim() : null;
}

/** The full path of the first of these programs that is on PATH, or null. */
export function which(...names) {
  for (const name of names)
    for (const folder of env.PATH.split(delimiter)) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // not in this folder
      }
    }
  return null;
}

/** Ends this program with one line. */
export function fail(why) {
  console.error(`✗ ${why}`);
  process.exit(1);
}
