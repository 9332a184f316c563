// Sessions in files, for Node.
//
//   journals/NAME   a journal: snapshot and records (journal-file.js)
//   items/NAME      an item: its key, a line feed, its content; if it may expire, `?` and its process (holders.js) follow the key
//   locks           who is writing right now (claims.js); empty if nobody is

import { mkdir, open, readFile, rename, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { locked } from "./claims.js";
import { conflict } from "./conflict.js";
import { keyOf, nameOf, namesIn } from "./file-names.js";
import { positionAt } from "./frames.js";
import { isHolderGone, thisHolder } from "./holders.js";
import { bytesOf, headerOf, inspect, journalIn, marked, withOpenFile, writeAt } from "./journal-file.js";
import { optionsOf, refusal } from "./options.js";

/** What follows the key of an item that may expire: its process. A key may have question marks, too. */
const HELD = /\?([0-9a-f]{12}-\d+-[^?]*)$/;

/** A journal store in a folder. */
export function fileStore(folder, options) {
  const { fsync = true } = optionsOf(options, { fsync: "flag" });
  const root = resolve(pathOfFolder(folder));
  const pathOf = (kind, key) => join(root, kind, nameOf(key));
  const lockOf = (kind, key) => join(root, "locks", `${kind}-${nameOf(key)}`);
  const known = new Map();

  /** Runs `work` while nobody else writes to the journal. */
  const withJournal = (key, work) => locked(lockOf("journals", key), work, (claim) => copyJournal(key, claim));

  async function withItem(key, work) {
    await makeFolder("items");
    return locked(lockOf("items", key), work);
  }

  /** Makes a folder in the root, and its parents, durably. */
  async function makeFolder(kind) {
    const path = join(root, kind);
    const made = await mkdir(path, { recursive: true });
    if (!made || !fsync) return;
    for (let above = path; above.length >= made.length; above = dirname(above)) await syncFolder(dirname(above));
  }

  /** Opens and inspects the journal's file, and calls `work` with the result; `null` if there is no file. */
  const withFile = (key, flags, work) =>
    withOpenFile(pathOf("journals", key), flags, async (file) => {
      const inspected = await inspect(file, key, known.get(key));
      remember(key, inspected);
      return work(file, inspected);
    });

  function remember(key, { id, end, marks }) {
    known.delete(key); // the most recently used come last
    known.set(key, { id, end, marks });
    if (known.size > 1000) known.delete(known.keys().next().value);
  }

  /** Writes a file and moves it into place atomically. Fails if the claim is gone, because the file is written in the claim's folder. */
  async function put(claim, path, parts) {
    const next = join(claim.path, "next");
    const file = await open(next, "wx");
    try {
      let at = 0;
      for (const part of parts) {
        await writeAt(file, part, at);
        at += part.length;
      }
      if (fsync) await file.sync();
    } finally {
      await file.close();
    }
    await moveTo(next, path);
    if (fsync) await syncFolder(dirname(path));
  }

  async function takeAway(claim, path) {
    const old = join(claim.path, "old");
    try {
      await moveTo(path, old);
    } catch (error) {
      if (error.code === "ENOENT" && (await claim.isHeld())) return false; // the file does not exist
      throw error;
    }
    await unlink(old);
    if (fsync) await syncFolder(dirname(path));
    return true;
  }

  /** Copies the journal to a new file, because a suspended process whose lock was taken over may still write into the old one. */
  const copyJournal = (key, claim) =>
    withFile(key, "r", async (file, { start, snapshotPosition, snapshotLength, size }) =>
      put(claim, pathOf("journals", key), [headerOf(key, snapshotPosition, snapshotLength), await bytesOf(file, start - snapshotLength, size)]),
    );

  async function item(key) {
    try {
      const bytes = await readFile(pathOf("items", key));
      // Without `fsync` an item may be empty or zeros after a power failure: it counts as missing.
      const name = Buffer.from(key);
      const end = bytes.indexOf("\n", name.length);
      if (end < 0 || !bytes.subarray(0, name.length).equals(name)) return null;
      const [, holder] = HELD.exec(bytes.subarray(name.length, end).toString()) ?? [];
      // The lease of a process that was killed does not make others wait.
      if (holder === undefined ? end > name.length : isHolderGone(holder)) return null;
      return new Uint8Array(bytes.subarray(end + 1));
    } catch (error) {
      if (error.code === "ENOENT") return null;
      throw error;
    }
  }

  const putItem = (claim, key, bytes, holder = "") => put(claim, pathOf("items", key), [Buffer.from(`${key}${holder}\n`), bytes]);

  async function removeItem(key) {
    await withItem(key, (claim) => takeAway(claim, pathOf("items", key)));
  }

  async function text(key) {
    const bytes = await item(key);
    return bytes && Buffer.from(bytes.buffer).toString();
  }

  /** The keys of files. `keysOf`: the keys that a first line may name. */
  async function keysIn(kind, prefix, keysOf) {
    const keys = [];
    for (const name of await namesIn(join(root, kind))) {
      const own = keyOf(name);
      const named = own === null ? keysOf((await firstLine(join(root, kind, name))) ?? "") : [own];
      // Ignore files that are not ours.
      const key = named.find((key) => nameOf(key) === name);
      if (key?.startsWith(prefix)) keys.push(key);
    }
    return keys;
  }

  return {
    async read(key, from = -1) {
      const reading = (isAlone) =>
        withFile(key, "r", async (file, inspected) => {
          // After the last whole record there may be a partial one: it is being written now, or its writer died.
          if (inspected.size > inspected.end && !isAlone) return undefined;
          return journalIn(file, inspected, from, inspected.size);
        });
      const found = await reading(false);
      if (found !== undefined) return found;
      return withJournal(key, () => reading(true)).catch((error) => {
        if (error.syscall !== "mkdir" || !["EROFS", "EACCES", "EPERM", "ENOTDIR"].includes(error.code)) throw error;
        return reading(true); // no lock can be made, as in a read-only copy of the folder
      });
    },

    async append(key, expected, records) {
      const bytes = Buffer.concat(records);
      const position = expected + records.length;
      if (records.some((record, i) => positionAt(record, 0) !== expected + i + 1)) throw new TypeError(`the records after position ${expected} do not follow it`);
      await withJournal(key, async (claim) => {
        const there = await withFile(key, "r+", async (file, inspected) => {
          if (inspected.position !== expected) throw conflict(key, expected, inspected.position);
          await isStillHeld(key, claim);
          known.delete(key); // until the write is done
          if (inspected.size > inspected.end) await file.truncate(inspected.end);
          await writeAt(file, bytes, inspected.end);
          if (fsync) await file.datasync();
          await isStillHeld(key, claim);
          remember(key, { ...inspected, ...marked(inspected.marks, inspected.end + bytes.length, position) });
          return true;
        });
        if (there === null) throw conflict(key, expected, null);
      });
    },

    async replace(key, expected, snapshot, position) {
      const parts = [headerOf(key, position, snapshot.length), Buffer.from(snapshot)];
      await makeFolder("journals");
      await withJournal(key, async (claim) => {
        const there = await withFile(key, "r", async (_, inspected) => inspected.position);
        if (there !== expected) throw conflict(key, expected, there);
        await put(claim, pathOf("journals", key), parts);
      });
    },

    async remove(key) {
      await withJournal(key, (claim) => takeAway(claim, pathOf("journals", key)));
      known.delete(key);
      await removeItem(`${key}:lease`);
    },

    list: (prefix = "") => keysIn("journals", prefix, (line) => [line.replace(/^contextfold journal 1 /, "")]),

    getItem: text,
    setItem(key, value) {
      const bytes = Buffer.from(value);
      return withItem(key, (claim) => putItem(claim, key, bytes));
    },
    removeItem,
    getItemRaw: item,
    setItemRaw(key, value) {
      const bytes = Buffer.from(value);
      return withItem(key, (claim) => putItem(claim, key, bytes));
    },
    getKeys: (prefix = "") => keysIn("items", prefix, (line) => [line, line.replace(HELD, "")]), // a key may end like a holder
    compareAndSet: (key, expected, next, options) =>
      withItem(key, async (claim) => {
        if ((await text(key)) !== expected) return false;
        await putItem(claim, key, Buffer.from(next), options?.ttlMs === undefined ? "" : `?${thisHolder()}`);
        return true;
      }),
    removeOlder(key, ms) {
      const asked = performance.now();
      return withItem(key, async (claim) => {
        const path = pathOf("items", key);
        const since = await withOpenFile(path, "r", async (file) => (await file.stat()).mtimeMs);
        // Both times are by the clock of the file system. The time spent waiting for the lock does not count.
        const now = since !== null && (await claim.now()) - (performance.now() - asked);
        return since !== null && now - since > ms && takeAway(claim, path);
      });
    },
  };
}

/** The folder's path. An empty one is refused, because it would be the current folder. */
function pathOfFolder(folder) {
  const expected = "folder: expected the path of a folder, or its `file:` URL";
  if (folder instanceof URL) {
    try {
      return fileURLToPath(folder);
    } catch (cause) {
      throw refusal(`${expected}: ${cause.message}`, cause);
    }
  }
  if (typeof folder !== "string" || folder === "") throw refusal(expected);
  return folder;
}

async function isStillHeld(key, claim) {
  if (!(await claim.isHeld())) throw new Error(`this process was paused while saving \`${key}\`, and another process took over: load the session to see whether the save went through`);
}

/** Renames a file. On Windows this is retried, because a file cannot be moved while somebody reads it. */
async function moveTo(from, to, tries = process.platform === "win32" ? 100 : 1) {
  for (;;) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (--tries === 0 || !["EPERM", "EACCES", "EBUSY"].includes(error.code)) throw error;
      await sleep(10);
    }
  }
}

/** Reads the first line of a file, which has the key: for files whose name does not contain it. */
const firstLine = (path) =>
  withOpenFile(path, "r", async (file) => {
    const text = Buffer.from(await bytesOf(file, 0, 1000)).toString("utf8");
    return text.slice(0, text.indexOf("\n"));
  });

/** Syncs a folder, so that new names in it survive a power failure. Windows has no such call and does not need it. */
async function syncFolder(path) {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
