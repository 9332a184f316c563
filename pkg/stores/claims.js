// A lock between processes, made of folders.
//
// To get a lock, a process makes a folder with a unique name, its claim, and then looks for other claims: of two processes, at
// least the later one sees the other. If locks had a fixed name, two processes could find a stale lock at once, and one could remove
// the new lock of the other; unique names prevent this. A claim names its process. If that process is gone, as after SIGKILL, the
// claim no longer counts. If the process cannot be checked (in another container, on another machine), the claim counts until it has
// not been renewed for STALE_MS.
//
// A process may also have been suspended, and continue later, after another process has taken over its lock. So a holder writes by
// renaming files out of its claim and into it: if its lock was taken over, its claim was removed, and the rename fails. A holder that
// writes into an open file calls `isHeld` after opening and after writing: a process that took over its lock has replaced that file by
// then (`onTakeover`).

import { randomBytes } from "node:crypto";
import { access, mkdir, readdir, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { namesIn } from "./file-names.js";
import { isHolderGone, thisHolder } from "./holders.js";

const BEAT_MS = 1500;
const STALE_MS = 6000;
const PATIENCE_MS = 60_000;
const LONGEST_PAUSE_MS = 3;
const LOOK_AGAIN_MS = 500;
const MAX_TRIES = 1000;

const turns = new Map();

/**
 * Runs `work` while nothing else, in this process or another one, runs under the lock of this folder.
 *
 * @param onTakeover Called before `work` if the lock was taken over from a process that may only be suspended.
 */
export function locked(folder, work, onTakeover) {
  // Within this process, calls are queued; between processes, claims decide.
  const alone = async () => {
    const claim = await acquire(folder, onTakeover);
    try {
      return await work(claim);
    } finally {
      await claim.release();
    }
  };
  const turn = (turns.get(folder) ?? Promise.resolve()).then(alone, alone);
  turns.set(folder, turn);
  const end = () => turns.get(folder) === turn && turns.delete(folder);
  turn.then(end, end);
  return turn;
}

async function acquire(folder, onTakeover) {
  const patience = performance.now() + PATIENCE_MS;
  for (;;) {
    const claim = await makeClaim(folder);
    try {
      while (true) {
        const { live, stale } = await othersThan(claim, folder);
        if (live.length === 0) {
          await removeStale(claim, stale, onTakeover);
          return claim;
        }
        if (performance.now() > patience) throw new Error(`${folder} was locked by another process for ${PATIENCE_MS / 1000} s`);
        // The process with the oldest claim keeps its claim while it waits: it is next.
        if (live.some(({ name }) => name < claim.name)) break;
        await pause();
      }
    } catch (error) {
      const wasTakenOver = !(await claim.isHeld());
      await claim.release();
      if (!wasTakenOver) throw error;
    }
    await claim.release();
    // A claim blocks others, so make the next one only when there are none, or after a while, to find out which of them are stale.
    for (const since = performance.now(); performance.now() - since < LOOK_AGAIN_MS; ) {
      await pause();
      if ((await namesIn(folder)).length === 0) break;
    }
  }
}

const pause = () => sleep(1 + Math.random() * LONGEST_PAUSE_MS);

async function makeClaim(folder) {
  // Names sort by age. If clocks differ, the order is unfair, but still safe.
  const name = [Date.now().toString(16).padStart(12, "0") + randomBytes(4).toString("hex"), thisHolder()].join("-");
  const path = join(folder, name);
  await makeFolders(path);
  // A new entry updates the folder's time, by the clock of its file system.
  let beats = 0;
  const beating = setInterval(() => writeFile(join(path, `beat-${++beats}`), "").catch(() => {}), BEAT_MS);
  beating.unref();
  return {
    name,
    path,
    now: async () => (await stat(path)).mtimeMs,
    isHeld: () => access(path).then(() => true, () => false),
    async release() {
      clearInterval(beating);
      try {
        await rmdir(path).catch(() => rm(path, { recursive: true, force: true }));
        await rmdir(folder);
      } catch {
        // There are other claims in the folder. Or the claim could not be removed: then others wait until it is stale.
      }
    },
  };
}

/** Makes a folder and those above it. If another process removes one of these at that moment, Node throws, and it is tried again. */
async function makeFolders(path) {
  for (let tries = 1; ; tries++) {
    try {
      return await mkdir(path, { recursive: true });
    } catch (error) {
      if (tries === MAX_TRIES || !["ENOTDIR", "ENOENT"].includes(error.code)) throw error;
    }
  }
}

async function othersThan(claim, folder) {
  const others = { live: [], stale: [] };
  for (const name of await readdir(folder)) {
    if (name === claim.name) continue;
    if (isHolderGone(name.slice(name.indexOf("-") + 1))) {
      others.stale.push({ name, isGone: true });
      continue;
    }
    const path = join(folder, name);
    const since = await stat(path).catch(() => null);
    if (since === null) continue; // released in the meantime
    others[(await claim.now()) - since.mtimeMs > STALE_MS ? "stale" : "live"].push({ name, isGone: false });
  }
  return others;
}

async function removeStale(claim, stale, onTakeover) {
  for (const { name } of stale) {
    // Move it away atomically: its process could still rename files out of a half-removed claim.
    await rename(join(claim.path, "..", name), join(claim.path, name)).catch((error) => {
      if (error.code !== "ENOENT") throw error;
    });
    await rm(join(claim.path, name), { recursive: true, force: true });
  }
  if (stale.some(({ isGone }) => !isGone)) await onTakeover?.(claim);
}
