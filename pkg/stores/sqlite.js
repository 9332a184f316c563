// Sessions in SQLite: node:sqlite, better-sqlite3, and Cloudflare's Durable Objects.

import { conflict } from "./conflict.js";
import { isHolderGone, thisHolder } from "./holders.js";
import { connected } from "./sqlite-database.js";

const VERSION = 1;

/** Longer values are split, because Durable Objects accept no value of more than 2 MB. */
const PART = 1_000_000;

/** The part of an item that may expire which names its process, before its first piece. */
const HOLDER = -1;

// The snapshot is stored at its own position, before those of the records, so each part of a journal has a unique primary key.
const SCHEMA = [
  "CREATE TABLE IF NOT EXISTS contextfold_schema (version INTEGER NOT NULL)",
  "CREATE TABLE IF NOT EXISTS contextfold_journals (key TEXT NOT NULL PRIMARY KEY, position INTEGER NOT NULL, snapshot_position INTEGER NOT NULL)",
  "CREATE TABLE IF NOT EXISTS contextfold_parts (key TEXT NOT NULL, position INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB, PRIMARY KEY (key, position, part))",
  "CREATE TABLE IF NOT EXISTS contextfold_items (key TEXT NOT NULL, part INTEGER NOT NULL, since INTEGER NOT NULL, bytes BLOB, PRIMARY KEY (key, part))",
];

/** A journal store in a database. */
export function sqliteStore(pathOrDatabase, options) {
  const database = connected(pathOrDatabase, options);
  const { rows, run, within } = database;
  try {
    prepare(database);
  } catch (error) {
    database.close();
    throw error;
  }

  /** Throws a conflict unless the journal is at this position. */
  function expected(key, position) {
    const [journal] = rows("SELECT position FROM contextfold_journals WHERE key = ?", key);
    if ((journal?.position ?? null) !== position) throw conflict(key, position, journal?.position ?? null);
  }

  /** A transaction that removes what must not be found any more. It has succeeded even if wiping fails. */
  function removing(work) {
    const result = within("writes", work);
    try {
      database.wipe();
    } catch {
      // The next removal wipes this as well.
    }
    return result;
  }

  function removeJournal(key) {
    run("DELETE FROM contextfold_parts WHERE key = ?", key);
    run("DELETE FROM contextfold_journals WHERE key = ?", key);
  }

  function put(key, position, bytes) {
    for (const [part, piece] of partsOf(bytes)) run("INSERT INTO contextfold_parts (key, position, part, bytes) VALUES (?, ?, ?, ?)", key, position, part, piece);
  }

  function item(key) {
    const parts = rows("SELECT part, bytes FROM contextfold_items WHERE key = ? ORDER BY part", key);
    const holder = parts[0]?.part === HOLDER ? parts.shift() : undefined;
    // The lease of a process that was killed does not make others wait.
    if (holder && isHolderGone(decoded(joined([holder])))) return null;
    return parts.length === 0 ? null : joined(parts);
  }

  function text(key) {
    const bytes = item(key);
    return bytes && decoded(bytes);
  }

  function removeItem(key) {
    run("DELETE FROM contextfold_items WHERE key = ?", key);
  }

  function putItem(key, bytes, holder) {
    removeItem(key);
    const now = Date.now();
    const pieces = partsOf(bytes);
    if (holder !== undefined) pieces.unshift([HOLDER, encoded(holder)]);
    for (const [part, piece] of pieces) run("INSERT INTO contextfold_items (key, part, since, bytes) VALUES (?, ?, ?, ?)", key, part, now, piece);
  }

  const keysIn = (table, prefix, more = "") =>
    rows(`SELECT key FROM ${table} WHERE key >= ? AND key <= ?${more}`, prefix, prefix + LAST)
      .map(({ key }) => key)
      .filter((key) => key.startsWith(prefix));

  return {
    read: async (key, from = -1) =>
      within("reads", () => {
        const [journal] = rows("SELECT position, snapshot_position FROM contextfold_journals WHERE key = ?", key);
        if (!journal) return null;
        const { position, snapshot_position: snapshotPosition } = journal;
        const hasSnapshot = from >= snapshotPosition;
        const snapshot = hasSnapshot ? null : joined(rows("SELECT bytes FROM contextfold_parts WHERE key = ? AND position = ? ORDER BY part", key, snapshotPosition));
        const behind = hasSnapshot ? from : snapshotPosition;
        const records = joined(rows("SELECT bytes FROM contextfold_parts WHERE key = ? AND position > ? ORDER BY position, part", key, behind));
        return { position, snapshot, snapshotPosition, records };
      }),

    append: async (key, expectedPosition, records) =>
      within("writes", () => {
        expected(key, expectedPosition);
        records.forEach((record, i) => put(key, expectedPosition + i + 1, record));
        run("UPDATE contextfold_journals SET position = ? WHERE key = ?", expectedPosition + records.length, key);
      }),

    replace: async (key, expectedPosition, snapshot, position) =>
      removing(() => {
        expected(key, expectedPosition);
        removeJournal(key);
        run("INSERT INTO contextfold_journals (key, position, snapshot_position) VALUES (?, ?, ?)", key, position, position);
        put(key, position, snapshot);
      }),

    remove: async (key) =>
      removing(() => {
        removeJournal(key);
        removeItem(`${key}:lease`);
      }),

    list: async (prefix = "") => keysIn("contextfold_journals", prefix),

    getItem: async (key) => text(key),
    setItem: async (key, value) => within("writes", () => putItem(key, encoded(value))),
    removeItem: async (key) => removing(() => removeItem(key)),
    getItemRaw: async (key) => item(key),
    setItemRaw: async (key, value) => within("writes", () => putItem(key, value)),
    getKeys: async (prefix = "") => keysIn("contextfold_items", prefix, " AND part = 0"),
    compareAndSet: async (key, expectedText, next, options) =>
      within("writes", () => {
        if (text(key) !== expectedText) return false;
        putItem(key, encoded(next), options?.ttlMs === undefined || database.isAlone ? undefined : thisHolder());
        return true;
      }),
    removeOlder: async (key, ms) => removing(() => rows("DELETE FROM contextfold_items WHERE key = ? AND since < ? RETURNING part", key, Date.now() - ms).length > 0),

    close: async () => database.close(),
  };
}

const encoded = (text) => new TextEncoder().encode(text);
const decoded = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** A suffix that sorts a prefix after all keys with that prefix: 200 bytes of the last character, and no key is longer. */
const LAST = "\u{10ffff}".repeat(50);

function prepare({ rows, run, within }) {
  const version = within("writes", () => {
    for (const statement of SCHEMA) run(statement);
    const [schema] = rows("SELECT version FROM contextfold_schema");
    if (!schema) run("INSERT INTO contextfold_schema (version) VALUES (?)", VERSION);
    return schema?.version ?? VERSION;
  });
  if (version !== VERSION) throw new Error(`contextfold's tables in this database have version ${version}, but this package supports only ${VERSION}: install a newer version of contextfold`);
}

/** Splits bytes into numbered pieces; one empty piece if there are none. */
function partsOf(bytes) {
  const count = Math.max(1, Math.ceil(bytes.length / PART));
  return Array.from({ length: count }, (_, part) => [part, bytes.subarray(part * PART, (part + 1) * PART)]);
}

/** Joins the bytes of rows in a new array. Drivers return a Buffer, an ArrayBuffer, or `null` for no bytes. */
function joined(rows) {
  const pieces = rows.map(({ bytes }) => (bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : (bytes ?? new Uint8Array(0))));
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
