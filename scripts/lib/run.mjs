// Running programs.

import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { env, root } from "./paths.mjs";

/** Runs to the end with our streams; ends this program with one line if it fails. */
export function must(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: "inherit", ...options });
  if (error) fail(`cannot run ${command}: ${error.message}`);
  if (status !== 0) fail(`\`${[command, ...args].join(" ")}\` ended with ${status}`);
}

/** What a program prints, or null where it is missing or fails (or, with `anyStatus`, only where it is missing). */
export function output(command, args, { anyStatus = false } = {}) {
  const { status, stdout, error } = spawnSync(command, args, { cwd: root, env, encoding: "utf8" });
  return !error && (status === 0 || anyStatus) ? stdout.trim() : null;
}

/** The first of these programs that is on PATH, as a full path, or null. */
export function which(...names) {
  for (const name of names)
    for (const folder of env.PATH.split(delimiter)) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // not here
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
 * Runs with a time budget. All of its output goes to `onText`; when the budget is spent, the program and all its
 * children are ended.
 */
export function runWithin(seconds, [command, ...args], { cwd = root, extraEnv = {}, onText }) {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...env, ...extraEnv },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // a group of its own, so that cargo's and the browser's children end with it
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
