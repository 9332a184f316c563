// Runs programs within a time limit.

import { spawn } from "node:child_process";
import { env, root } from "./paths.mjs";

/** For each program that runs now, the function that kills it. */
const running = new Set();
for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]])
  process.once(signal, () => {
    for (const end of running) end();
    process.exit(code);
  });

/**
 * Runs a program with a time limit. All of its output goes to `onText`. When the time is up, or this program is interrupted, it and
 * all its children are killed.
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
    running.add(endGroup);
    child.stdout.on("data", (chunk) => onText(String(chunk)));
    child.stderr.on("data", (chunk) => onText(String(chunk)));
    const finish = (code) => {
      clearTimeout(timer);
      running.delete(endGroup);
      done({ code, late });
    };
    child.on("error", (error) => (onText(`${error.message}\n`), finish(127)));
    child.on("close", finish);
  });
}
