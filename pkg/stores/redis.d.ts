import type { JournalStore } from "./journal.js";

/** A client of `ioredis` (`Redis` or `Cluster`), or of `redis` 5 or newer (`createClient`, `createCluster`). You connect and end it. */
export type RedisClient =
  | {
      /** `ioredis`: sends a command and returns bytes. */
      callBuffer: (...args: never[]) => unknown;
    }
  | {
      /** `redis`: returns a client whose replies have other types. */
      withTypeMapping(mapping: any): any;
    };

/** Options of `redisStore`. */
export interface RedisStoreOptions {
  /** The prefix of all keys; default `"contextfold:"`. */
  prefix?: string | undefined;
  /**
   * Each journal expires this many milliseconds after the last write to it; default: never. Tool outputs do not expire, because
   * sessions share them.
   */
  ttlMs?: number | undefined;
}

/**
 * Sessions in Redis 6.2 or newer, a single server or a cluster, with `ioredis` or `redis` (`npm install ioredis`).
 *
 * ```js
 * import { Redis } from "ioredis";
 * import { redisStore } from "contextfold/stores/redis";
 *
 * const client = new Redis(process.env.REDIS_URL ?? "redis://127.0.0.1:6379");
 * const store = redisStore(client, { prefix: "chats:" });
 * await session.save(store, "chat-17");
 * ```
 *
 * **Guarantees.** Each call is one script, which Redis runs without interruption. An append is stored completely or not at all, in
 * order; if two processes append at the same position, one succeeds. An append sends and writes only what is new; a read with a
 * position gets only what came after it. A journal is one key, so it expires, is evicted, and moves between the nodes of a cluster
 * as a whole. Reads go to the primary, never to a replica.
 *
 * **Limits.** A save is as durable as your Redis. By default, journals may be lost when the Redis process ends; with
 * `appendonly yes`, those of the last second; only with `appendfsync always` is a save on the disk when `save` resolves. Replicas
 * get a write after `save` has resolved. If a replica takes over, the last saves may be lost. A session that goes on then gets
 * `STORE_CONFLICT`, but does not notice if somebody else has since saved as many times as were lost. `min-replicas-to-write` makes
 * that rarer. If Redis may evict keys (`maxmemory-policy`), it evicts sessions, so use `noeviction`.
 *
 * `list` and `getKeys` scan all keys of the database (`SCAN`): use them for maintenance, not in each request. A journal may have
 * some hundred MB: Redis holds it in memory, and is blocked while a whole journal is read.
 */
export declare function redisStore(client: RedisClient, options?: RedisStoreOptions): JournalStore;
