// The stores that are measured, each on its own server or in its own folder. If one is not available here, it says why.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wrapStore } from "contextfold/stores/encrypted";
import { fileStore } from "contextfold/stores/files";
import { memoryJournals, memoryStore } from "contextfold/stores/memory";
import { postgresStore } from "contextfold/stores/postgres";
import { redisStore } from "contextfold/stores/redis";
import { s3Store } from "contextfold/stores/s3";
import { segmented } from "contextfold/stores/segments";
import { sqliteStore } from "contextfold/stores/sqlite";
import { missing, startPostgres, startRedis, startS3 } from "../../tests/stores/servers.mjs";

const clients = () => import("../../tests/stores/clients/clients.mjs");
const own = createRequire(import.meta.url);

const folders = [];
process.once("exit", () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A folder that is deleted when this process ends. */
export function temporary(name) {
  folders.push(mkdtempSync(join(tmpdir(), `contextfold-bench-${name}-`)));
  return folders.at(-1);
}

/** A SQLite database of better-sqlite3, in WAL mode. LangGraph's checkpointer installs that package. */
export function betterSqlite3(path) {
  const Database = own("better-sqlite3");
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  return database;
}

/** By name: `asked` if a figure is required of the store; `open`, which returns `{ store, again, stop }`; `missing`, why it is not available. */
export const STORES = {
  memory: { open: async () => stays(memoryJournals()) },
  files: {
    asked: true,
    async open() {
      const folder = temporary("files");
      return { store: fileStore(folder), again: () => fileStore(folder) };
    },
  },
  sqlite: {
    asked: true,
    async open() {
      const path = join(temporary("sqlite"), "sessions.db");
      if (process.getBuiltinModule?.("node:sqlite")) return { store: sqliteStore(path), again: () => sqliteStore(path) };
      const open = () => sqliteStore(betterSqlite3(path), { fsync: true, busyTimeoutMs: 5000 });
      return { store: open(), again: open };
    },
  },
  redis: {
    asked: true,
    missing: missing.redis || missing.clients,
    async open() {
      const server = await startRedis({ isDurable: true });
      const client = new (await clients()).Redis(server.url);
      const stop = async () => {
        await client.quit();
        await server.stop();
      };
      return { store: redisStore(client), again: () => redisStore(client), stop };
    },
  },
  postgres: {
    asked: true,
    missing: missing.postgres || missing.clients,
    async open() {
      const server = await startPostgres();
      const pool = new (await clients()).pg.Pool({ connectionString: server.url, max: 4 });
      pool.on("error", () => {}); // the server may stop before the pool has ended
      const stop = async () => {
        await pool.end();
        await server.stop();
      };
      return { store: postgresStore(pool), again: () => postgresStore(pool), stop, url: server.url, ask: (sql) => pool.query(sql) };
    },
  },
  s3: {
    missing: missing.s3 || missing.clients,
    async open() {
      const { url, bucket, stop } = await startS3();
      const { s3 } = await clients();
      const client = new s3.S3Client({ endpoint: url, region: "us-east-1", forcePathStyle: true, credentials: { accessKeyId: "none", secretAccessKey: "none" } });
      const open = () => s3Store({ client, commands: s3, bucket });
      return { store: open(), again: open, stop };
    },
  },
  segments: {
    async open() {
      const items = memoryStore(); // kept in a Map
      return { store: segmented(items), again: () => segmented(items), items };
    },
  },
  encrypted: {
    async open() {
      const key = randomBytes(32);
      const inner = memoryJournals();
      const open = () => wrapStore(inner, { encrypt: () => ({ id: "1", key }) });
      return { store: open(), again: open };
    },
  },
};

const stays = (store) => ({ store, again: () => store });

/** How each store is set up here. */
export const ABOUT = {
  memory: "in this process",
  files: "fsync",
  sqlite: process.getBuiltinModule?.("node:sqlite") ? "node:sqlite, WAL, synchronous FULL" : "better-sqlite3, WAL, synchronous FULL",
  redis: "ioredis, appendfsync always",
  postgres: "pg, fsync",
  s3: "moto, in Python: no measure of S3's own time",
  segments: "over a Map",
  encrypted: "around journals in memory",
};
