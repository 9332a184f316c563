// The store that each process of a fleet opens, by its kind and address.

import { createRequire } from "node:module";

/** Only one client: loading the others would cost each new process a second. */
const client = createRequire(new URL("../clients/package.json", import.meta.url));

/** Returns `{ store, end }`: the store, and a function that releases what was opened for it. */
export async function storeOf(kind, place) {
  if (kind === "files") return { store: (await import("contextfold/stores/files")).fileStore(place), end: async () => {} };
  if (kind === "sqlite") {
    const store = (await import("contextfold/stores/sqlite")).sqliteStore(place, { busyTimeoutMs: 30_000 });
    return { store, end: () => store.close() };
  }
  if (kind === "redis") {
    const { Redis } = client("ioredis");
    const redis = new Redis(place);
    return { store: (await import("contextfold/stores/redis")).redisStore(redis), end: async () => void (await redis.quit()) };
  }
  if (kind === "postgres") {
    const { Pool } = client("pg");
    const pool = new Pool({ connectionString: place, max: 2 });
    return { store: (await import("contextfold/stores/postgres")).postgresStore(pool), end: () => pool.end() };
  }
  throw new Error(`no store is called ${kind}`);
}
