import type { JournalStore } from "./journal.js";

export type { Journal, JournalStore } from "./journal.js";

/** The methods of a database of `node:sqlite` or `better-sqlite3` that are used here. */
export interface SqliteDatabase {
  /** Runs statements. */
  exec(sql: string): unknown;
  /** Prepares a statement. */
  prepare(sql: string): SqliteStatement;
}

/** A statement of such a database. */
export interface SqliteStatement {
  /** Runs it and returns its rows. */
  all(...values: never[]): unknown[];
  /** Runs it. */
  run(...values: never[]): unknown;
}

/** The members of `ctx.storage` of a Durable Object with SQLite that are used here. */
export interface DurableObjectSqlite {
  /** Its database. */
  sql: DurableObjectSql;
  /** Runs `work` in a transaction. */
  transactionSync<T>(work: () => T): T;
}

/** The `ctx.storage.sql` of a Durable Object. It has no transactions, so `sqliteStore` takes `ctx.storage` instead. */
export interface DurableObjectSql {
  /** Runs a statement. */
  exec(sql: string, ...values: never[]): DurableObjectRows;
}

/** The result of a statement in a Durable Object. */
export interface DurableObjectRows {
  /** Its rows. */
  toArray(): unknown[];
}

/** Settings of the database. In a database that you pass in, settings that you leave out are not changed; a Durable Object needs none. */
export interface SqliteStoreOptions {
  /**
   * Whether a save waits until it is on the disk (`synchronous` is `FULL`, or else `NORMAL`). With `false`, the saves of the last
   * seconds may be lost if the machine loses power, but the database is not damaged. Default with a path: `true`.
   */
  fsync?: boolean | undefined;
  /** How many milliseconds a call waits while another process writes, before it fails. Default with a path: 5000. */
  busyTimeoutMs?: number | undefined;
}

/** A store in an SQLite database, which can be closed. */
export interface SqliteStore extends JournalStore {
  /** Closes the database, if it was opened from a path. */
  close(): Promise<void>;
}

/**
 * Sessions in SQLite. A path opens a file with `node:sqlite` (Node 22.13 or newer), in WAL mode; its folder must exist.
 *
 * ```js
 * import { sqliteStore } from "contextfold/stores/sqlite";
 *
 * const store = sqliteStore("./sessions.db");
 * await session.save(store, "chat-17");
 * await store.close();
 * ```
 *
 * A database that you pass in may hold other tables besides `contextfold_schema`, `contextfold_journals`, `contextfold_parts` and
 * `contextfold_items`, which are created if they are missing. In WAL mode, `better-sqlite3` does not wait for the disk
 * unless you ask for it:
 *
 * ```js
 * import Database from "better-sqlite3";
 *
 * const database = new Database("./app.db");
 * database.pragma("journal_mode = WAL");
 * const store = sqliteStore(database, { fsync: true });
 * ```
 *
 * In a Durable Object, pass the storage itself: `sqliteStore(ctx.storage)`. Responses leave the object only when the writes are
 * durable, so a save is never confirmed and then lost.
 *
 * Guarantees:
 * - When the promise resolves, the save is on the disk (see `fsync`).
 * - A save is there completely or not at all, even if the process is killed.
 * - Any number of processes on one machine may use the file. If several save at the same position of one session, one succeeds,
 *   and the others get `STORE_CONFLICT`.
 *
 * SQLite blocks the calling thread while it writes or waits for other processes. The file must not be on a network drive. While you
 * have a transaction open on the database, calls of the store fail.
 *
 * An item that was stored by `compareAndSet` with `ttlMs` (the lease for a summary) does not expire by time. It is gone once the
 * process that stored it has ended, if that can be checked (on the same machine, and not in another container).
 *
 * @param database A path (or `":memory:"`), a database, or a Durable Object's `ctx.storage`.
 */
export declare function sqliteStore(database: string | SqliteDatabase | DurableObjectSqlite, options?: SqliteStoreOptions): SqliteStore;
