// Runs programs.

import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { env, root } from "./paths.mjs";

/** Runs a program to its end with our streams. Ends this process with one line if the program fails. */
export function must(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: "inherit", ...options });
  if (error) fail(`cannot run ${command}: ${error.message}`);
  if (status !== 0) fail(`\`${[command, ...args].join(" ")}\` ended with ${status}`);
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

/**
 * Runs a program with a time limit. All of its output goes to `onText`. When the time is up, the program and all its children are
 * killed.
 */
export function runWithin(seconds, [command, ...args], { cwd = root, extraEnv = {}, onText }) {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...env, ...extraEnv },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // its own process group, so that children such as browsers end with it
    });
    const endGroup = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // already gone
      }
    };
    let late = false;
    const timer = setTimeout(() => ((late = true), endGroup()), seconds * 1000);
    const interrupted = () => (endGroup(), process.exit(130));
    process.once("SIGINT", interrupted);
    child.stdout.on("data", (chunk) => onText(String(chunk)));
    child.stderr.on("data", (chunk) => onText(String(chunk)));
    const finish = (code) => {
      clearTimeout(timer);
      process.off("SIGINT", interrupted);
      done({ code, late });
    };
    child.on("error", (error) => (onText(`${error.message}\n`), finish(127)));
    child.on("close", finish);
  });
}
