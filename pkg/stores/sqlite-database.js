// One interface for all databases that the store accepts: `rows` and `run` execute a statement, `within` runs a transaction, and `wipe`
// is called after something was removed for good. `isAlone`: no other process has it.

import { optionsOf, refusal } from "./options.js";

const BUSY_MS = 5000;

/**
 * @param database A path, a database of `node:sqlite` or `better-sqlite3`, or a Durable Object's `ctx.storage`.
 * @param options `fsync`, `busyTimeoutMs`: in a database that the caller passes, settings that are left out are not changed.
 */
export function connected(database, options) {
  const { fsync, busyTimeoutMs } = optionsOf(options, { fsync: "flag", busyTimeoutMs: "milliseconds" });
  if (typeof database?.transactionSync === "function") return durableObject(database);
  const isOwn = typeof database === "string" && database !== ""; // SQLite takes an empty path for a database that is soon deleted
  if (!isOwn && typeof database?.prepare !== "function")
    throw refusal("sqliteStore expects a path, a database of node:sqlite or better-sqlite3, or a Durable Object's ctx.storage");
  const opened = isOwn ? openedAt(database) : database;
  const timeout = busyTimeoutMs ?? (isOwn ? BUSY_MS : null);
  try {
    if (timeout !== null) opened.exec(`PRAGMA busy_timeout = ${Math.round(timeout)}`);
    if (isOwn) patiently(timeout, () => opened.exec("PRAGMA journal_mode = WAL"));
    if (isOwn) opened.exec("PRAGMA secure_delete = ON"); // what is removed is overwritten with zeros, and not only marked as free
    if (isOwn || fsync !== undefined) opened.exec(`PRAGMA synchronous = ${fsync === false ? "NORMAL" : "FULL"}`);
  } catch (error) {
    if (isOwn) opened.close();
    throw error;
  }
  return onConnection(opened, isOwn, timeout ?? 0);
}

function openedAt(path) {
  const sqlite = globalThis.process?.getBuiltinModule?.("node:sqlite");
  if (!sqlite) throw new Error("a path needs node:sqlite, which requires Node 22.13 or newer. Pass a better-sqlite3 database instead");
  return new sqlite.DatabaseSync(path);
}

/**
 * Retries `work`, because it may fail at once, without the busy timeout: if another process does the same at this moment, or reads the
 * write-ahead log of a process that was killed.
 */
function patiently(ms, work) {
  for (const end = performance.now() + ms; ; ) {
    try {
      return work();
    } catch (error) {
      if (!/locked|busy/i.test(error.message) || performance.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

function onConnection(database, isOwn, timeout) {
  const statements = new Map();
  const prepared = (sql) => {
    if (!statements.has(sql)) statements.set(sql, plain(database.prepare(sql)));
    return statements.get(sql);
  };
  return {
    rows: (sql, ...values) => prepared(sql).all(...values),
    run: (sql, ...values) => void prepared(sql).run(...values),
    /** Runs a transaction. The mode `writes` takes the lock at the start, so that what it reads is still current when it writes. */
    within(mode, work) {
      patiently(timeout, () => database.exec(mode === "writes" ? "BEGIN IMMEDIATE" : "BEGIN"));
      try {
        const result = work();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        try {
          database.exec("ROLLBACK");
        } catch {
          // Already rolled back, for example because the disk is full.
        }
        throw error;
      }
    },
    /** What was removed is still in the write-ahead log: this empties it, unless others read it just now; then a later call does that. */
    wipe() {
      if (!isOwn) return;
      database.exec("PRAGMA busy_timeout = 0"); // it would block the event loop as long as they read
      try {
        prepared("PRAGMA wal_checkpoint(TRUNCATE)").all();
      } finally {
        database.exec(`PRAGMA busy_timeout = ${Math.round(timeout)}`);
      }
    },
    close() {
      if (isOwn) database.close();
    },
  };
}

/** A statement whose rows are objects with numbers, whatever the caller has set for the whole database. */
function plain(statement) {
  statement.setReadBigInts?.(false);
  statement.setReturnArrays?.(false);
  statement.safeIntegers?.(false); // as better-sqlite3 calls it
  return statement;
}

/** A Durable Object has its database for itself, and does not allow BEGIN as a statement. */
const durableObject = (storage) => ({
  rows: (sql, ...values) => storage.sql.exec(sql, ...values).toArray(),
  run: (sql, ...values) => void storage.sql.exec(sql, ...values),
  within: (_, work) => storage.transactionSync(work),
  wipe() {},
  close() {},
  isAlone: true,
});
