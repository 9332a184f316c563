import type { JournalStore } from "./journal.js";

/** A `Pool` or `Client` of `pg`, or an instance of `postgres`, made and ended by you. */
export type PostgresClient =
  | {
      /** `pg`: runs a statement. */
      query(query: any): any;
    }
  | {
      /** `postgres`: runs a statement. */
      unsafe(query: string, values?: any[], options?: any): any;
    };

/** How journals are kept in PostgreSQL. */
export interface PostgresStoreOptions {
  /** The schema of the tables; default `"public"`. It is created if it is missing. */
  schema?: string | undefined;
  /** Makes the tables if they are missing, before the first call; default `true`. Otherwise run the SQL of `postgresSchema`. */
  migrate?: boolean | undefined;
}

/**
 * Sessions in PostgreSQL, from version 12 on, with `pg` or `postgres` (`npm install pg`). The database's encoding has to be UTF8.
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
 * **What it promises.** Each call is one statement, and so a transaction of its own. An append is there whole or not at all, in order,
 * and if two expect one position, one gets it. A reader sees journal and records as of one moment. When `save` resolves, it is
 * committed. An append writes what is new, and the journal's row without its snapshot. Nothing is kept in a connection, so it works
 * behind PgBouncer and other transaction poolers. The tables are made once, however many processes start at the same time.
 *
 * **What it does not.** A commit is as durable as your server is set to make it (`synchronous_commit`, `fsync`). If a replica
 * takes over without `synchronous_standby_names`, it may lack the last saves. A session that goes on from there gets
 * `STORE_CONFLICT`, or does not notice if somebody else has saved as often as was lost. Use the primary, because a replica is
 * behind. Do not pass a client that is inside a transaction: a save would be there only after your `COMMIT`.
 *
 * With `pg` a call is one round trip; `postgres` asks for the parameters' types first, so it is two. The snapshot of a journal, and its
 * records, may have some 250 MB each: clients read bytes as a text of twice that. Tool outputs and leases lie in `contextfold_items`.
 */
export declare function postgresStore(client: PostgresClient, options?: PostgresStoreOptions): JournalStore;

/**
 * The tables, as SQL to run before `postgresStore(client, { migrate: false })` by a role that may create them. Running it again does
 * nothing. The role that saves needs `SELECT`, `INSERT`, `UPDATE` and `DELETE` on them.
 *
 * ```js
 * import { postgresSchema } from "contextfold/stores/postgres";
 *
 * console.log(postgresSchema("chats"));
 * ```
 */
export declare function postgresSchema(schema?: string): string;
