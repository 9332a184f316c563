// A process that continues a session shared with others: `node writer.mjs FOLDER NAME COUNT OTHER`. It waits for the
// other one, pushes COUNT messages, saves after each, and loads the session again if another process saved meanwhile. Prints
// what it saw as JSON.

import { mkdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Session } from "contextfold";
import { createStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import { assistant, user, words } from "./session.mjs";

export const KEY = "shared";
export const OPTIONS = { contextWindow: 4000, safetyMargin: 0, compaction: { maxAttempts: 1, ledgerTokens: 0 } };

/** Files written by several processes: unstorage's, with a compare-and-set under a lock, which is a folder. */
export function sharedFolder(base) {
  const store = createStorage({ driver: fsDriver({ base: join(base, "items") }) });
  const lock = join(base, "lock");
  store.compareAndSet = async (key, expected, next) => {
    for (;;) {
      try {
        await mkdir(lock);
        break;
      } catch {
        await pause(1);
      }
    }
    try {
      if (((await store.getItem(key)) ?? null) !== expected) return false;
      await store.setItem(key, next);
      return true;
    } finally {
      await rmdir(lock);
    }
  };
  return store;
}

async function write([folder, name, count, other]) {
  const store = sharedFolder(folder);
  await store.setItem(`ready:${name}`, "yes");
  while (!(await store.hasItem(`ready:${other}`))) await pause(1);
  const seen = { asked: 0, conflicts: 0 };
  const summarize = async () => {
    seen.asked++;
    await pause(30);
    return `<summary>What ${name} was told.</summary>`;
  };
  const load = () => Session.load(store, KEY, { summarize });
  let session = await load();
  for (let n = 0; n < Number(count); ) {
    try {
      session.push([user(`${name} asks ${n}: ${words(60, n)}`), assistant(`${name} is told ${n}: ${words(60, n)}`)]);
      await session.prepare();
      await pause(n % 3);
      await session.save(store, KEY);
      n++;
    } catch (error) {
      if (error.code !== "STORE_CONFLICT") throw error;
      seen.conflicts++;
      session.free();
      session = await load();
    }
  }
  console.log(JSON.stringify(seen));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await write(process.argv.slice(2));
