import type { JournalStore } from "./journal.js";

export type { Journal, JournalStore } from "./journal.js";

/** A database of `node:sqlite` or `better-sqlite3`, as far as it is used. */
export interface SqliteDatabase {
  /** Runs statements. */
  exec(sql: string): unknown;
  /** Prepares one. */
  prepare(sql: string): SqliteStatement;
}

/** A statement of such a database. */
export interface SqliteStatement {
  /** Runs it and gives its rows. */
  all(...values: never[]): unknown[];
  /** Runs it. */
  run(...values: never[]): unknown;
}

/** The `ctx.storage` of a Durable Object with SQLite, as far as it is used. */
export interface DurableObjectSqlite {
  /** Its database. */
  sql: DurableObjectSql;
  /** Runs `work` in a transaction. */
  transactionSync<T>(work: () => T): T;
}

/** The `ctx.storage.sql` of a Durable Object. By itself it has no transactions: the store takes `ctx.storage`. */
export interface DurableObjectSql {
  /** Runs a statement. */
  exec(sql: string, ...values: never[]): DurableObjectRows;
}

/** What a statement gives in a Durable Object. */
export interface DurableObjectRows {
  /** Its rows. */
  toArray(): unknown[];
}

/** How `sqliteStore` sets a database. In one that you hand in, what is left out stays as you have it; a Durable Object's needs none of it. */
export interface SqliteStoreOptions {
  /**
   * Whether a save waits until the disk has it (`synchronous` `FULL`, or else `NORMAL`). With `false`, what was saved in the last seconds
   * before the machine lost its power may be gone; the database stays whole. Default with a path: `true`.
   */
  fsync?: boolean | undefined;
  /** For how many milliseconds to wait while another process writes, before it fails. Default with a path: 5000. */
  busyTimeoutMs?: number | undefined;
}

/** A store in a database, which can be closed. */
export interface SqliteStore extends JournalStore {
  /** Closes the database, if it was opened from a path. */
  close(): Promise<void>;
}

/**
 * Sessions in SQLite. A path opens a file with `node:sqlite` (Node 22.13 and later), in WAL mode; its folder has to be there.
 *
 * ```js
 * import { sqliteStore } from "contextfold/stores/sqlite";
 *
 * const store = sqliteStore("./sessions.db");
 * await session.save(store, "chat-17");
 * await store.close();
 * ```
 *
 * A database of your own may hold other tables beside `contextfold_schema`, `contextfold_journals`, `contextfold_parts` and
 * `contextfold_items`, which are made where they are missing. `better-sqlite3` saves in WAL mode without waiting for the disk, unless it
 * is told to:
 *
 * ```js
 * import Database from "better-sqlite3";
 *
 * const database = new Database("./app.db");
 * database.pragma("journal_mode = WAL");
 * const store = sqliteStore(database, { fsync: true });
 * ```
 *
 * In a Durable Object, hand in the storage itself: `sqliteStore(ctx.storage)`. What leaves the object waits there until the writes are
 * durable, so that nobody is told of a save that is lost.
 *
 * It promises:
 * - What was saved is there when the promise resolves, on the disk itself (see `fsync`).
 * - A save is there whole or not at all, whenever the process is killed.
 * - Any number of processes on one machine may use the file: of those that save at the same position of one session, one does, and the
 *   others are told `STORE_CONFLICT`.
 *
 * It does not promise that the process goes on meanwhile: SQLite writes in the thread that calls it, and waits there for other processes.
 * Nor may the file lie on a network. While a transaction of your own is open on the database, a call fails.
 *
 * @param database A path (`":memory:"` too), a database, or a Durable Object's `ctx.storage`.
 */
export declare function sqliteStore(database: string | SqliteDatabase | DurableObjectSqlite, options?: SqliteStoreOptions): SqliteStore;
