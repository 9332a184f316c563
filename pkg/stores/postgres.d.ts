import type { JournalStore } from "./journal.js";

/** A `Pool` or `Client` of `pg`, or an instance of `postgres`. You create and end it. */
export type PostgresClient =
  | {
      /** `pg`: runs a statement. */
      query(query: any): any;
    }
  | {
      /** `postgres`: runs a statement. */
      unsafe(query: string, values?: any[], options?: any): any;
    };

/** Options of `postgresStore`. */
export interface PostgresStoreOptions {
  /** The schema of the tables; default `"public"`. It is created if it is missing. */
  schema?: string | undefined;
  /** Whether to create missing tables before the first call; default `true`. With `false`, run the SQL of `postgresSchema` yourself. */
  migrate?: boolean | undefined;
}

/**
 * Sessions in PostgreSQL 12 or newer, with `pg` or `postgres` (`npm install pg`). The database's encoding has to be UTF8.
 *
 * ```js
 * import pg from "pg";
 * import { postgresStore } from "contextfold/stores/postgres";
 *
 * const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
 * const store = postgresStore(pool);
 * await session.save(store, "chat-17");
 * ```
 *
 * **Guarantees.** Each call is one statement and therefore its own transaction. An append is stored completely or not at all, in
 * order; if two processes append at the same position, one succeeds. A reader sees the journal and its records as of one moment.
 * When `save` resolves, it is committed. An append writes what is new, and the journal's row without its snapshot. No state is kept
 * in a connection, so PgBouncer and other transaction poolers work. The tables are created once, however many processes start at
 * the same time.
 *
 * **Limits.** A commit is as durable as your server's settings make it (`synchronous_commit`, `fsync`). If a replica takes over
 * without `synchronous_standby_names`, the last saves may be lost. A session that goes on then gets `STORE_CONFLICT`, but does not
 * notice if somebody else has since saved as many times as were lost. Use the primary, because replicas lag behind. Do not pass a
 * client that is inside a transaction: a save would become visible only with your `COMMIT`.
 *
 * With `pg` a call is one round trip; with `postgres` two, because it asks for the parameters' types first. A journal's snapshot may
 * have some 250 MB, and so may all its records, because clients read bytes as text of twice that length. Tool outputs and leases are
 * in the table `contextfold_items`.
 */
export declare function postgresStore(client: PostgresClient, options?: PostgresStoreOptions): JournalStore;

/**
 * The SQL that creates the tables, for use with `postgresStore(client, { migrate: false })`. Run it as a role that may create tables;
 * running it again does nothing. The role that saves needs `SELECT`, `INSERT`, `UPDATE` and `DELETE` on them.
 *
 * ```js
 * import { postgresSchema } from "contextfold/stores/postgres";
 *
 * console.log(postgresSchema("chats"));
 * ```
 */
export declare function postgresSchema(schema?: string): string;
