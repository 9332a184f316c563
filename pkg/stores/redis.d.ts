import type { JournalStore } from "./journal.js";

/** A client of `ioredis` (`Redis` or `Cluster`), or of `redis` 5 or newer (`createClient`, `createCluster`), connected and ended by you. */
export type RedisClient =
  | {
      /** `ioredis`: sends a command, and gives bytes. */
      callBuffer: (...args: never[]) => unknown;
    }
  | {
      /** `redis`: the client, with other types for what it gives. */
      withTypeMapping(mapping: any): any;
    };

/** How journals are kept in Redis. */
export interface RedisStoreOptions {
  /** The prefix of all its keys; default `"contextfold:"`. */
  prefix?: string | undefined;
  /**
   * Each journal expires this many milliseconds after the last write to it; default: never. Tool outputs do not expire, because
   * sessions share them.
   */
  ttlMs?: number | undefined;
}

/**
 * Sessions in Redis, with `ioredis` or `redis` (`npm install ioredis`), from Redis 6.2 on, alone or as a cluster.
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
 * **What it promises.** Each call is one script, which Redis runs without interruption. An append is there
 * whole or not at all, in order, and if two expect one position, one gets it. An append sends and writes only
 * what is new; a read with a position gets what came after it. A journal is one key, so it expires, is
 * evicted, and moves between the nodes of a cluster as a whole. Everything is read from where it is written,
 * never from a replica.
 *
 * **What it does not.** A save is as durable as your Redis. By default a journal is gone with the process; with `appendonly yes`
 * the last second may be; only with `appendfsync always` is it on the disk when `save` resolves. A replica gets a write after you
 * do. If one takes over, the last saves may be missing, and a session that goes on from there gets `STORE_CONFLICT`, or does not
 * notice if somebody else has saved as often as was lost. `min-replicas-to-write` makes that rarer. If Redis may evict keys
 * (`maxmemory-policy`), it evicts sessions: use a Redis with `noeviction`.
 *
 * `list` and `getKeys` go through all keys of the database (`SCAN`): for maintenance, not for each request. One journal has room for some
 * hundred MB: Redis holds it in memory, and is busy for as long as it is read whole.
 */
export declare function redisStore(client: RedisClient, options?: RedisStoreOptions): JournalStore;
