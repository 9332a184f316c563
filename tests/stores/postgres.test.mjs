// Journals in a real PostgreSQL, through both clients, and through a pooler that gives each transaction another connection.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { postgresSchema, postgresStore } from "../../pkg/stores/postgres.js";
import { contract, newKey, positionsOf, record, recordsBehind, snapshotAt } from "./contract.mjs";
import { missing, startPostgres } from "./servers.mjs";

const skip = missing.postgres || missing.clients;
const { pg, postgres } = skip ? {} : await import("./clients/clients.mjs");

/** For tests that differ little from others that run with every combination. */
const LESS = { racers: 20, many: 400, bigBytes: 2_000_000 };

describe("PostgreSQL", { skip }, () => {
  let server;
  const made = [];
  const pgPool = (url, options) => {
    const pool = new pg.Pool({ connectionString: url, max: 5, ...options });
    made.push(() => pool.end());
    return pool;
  };
  const postgresJs = (url, options) => {
    const sql = postgres(url, { max: 5, onnotice() {}, ...options });
    made.push(() => sql.end());
    return sql;
  };
  before(async () => (server = await startPostgres({ hasPooler: !missing.pgbouncer })));
  after(async () => {
    for (const end of made) await end();
    await server?.stop();
  });

  contract("pg", async () => postgresStore(pgPool(server.url)), { skip });
  contract("pg, one Client", async () => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    made.push(() => client.end());
    return postgresStore(client, { schema: "of one client" });
  }, { skip, ...LESS });
  contract("postgres", async () => postgresStore(postgresJs(server.url), { schema: 'postgres "js"' }), { skip });
  contract("pg, in repeatable read", async () => postgresStore(pgPool(server.url, { options: "-c default_transaction_isolation=repeatable\\ read" }), { schema: "strict" }), { skip, ...LESS, racers: 8 });
  contract("pg, behind a pooler", async () => postgresStore(pgPool(server.poolerUrl), { schema: "pooled" }), { skip: skip || missing.pgbouncer, ...LESS });
  contract("postgres, behind a pooler", async () => postgresStore(postgresJs(server.poolerUrl), { schema: "pooled" }), { skip: skip || missing.pgbouncer, ...LESS });

  const open = () => postgresStore(pgPool(server.url));

  test("a snapshot is whole, wherever its last piece ends", async () => {
    const store = open();
    const key = newKey();
    let position = null;
    for (const size of [1, 196_607, 196_608, 196_609, 3 * 196_608, 3 * 196_608 + 7]) {
      const snapshot = Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) & 255);
      await store.replace(key, position, snapshot, size);
      await store.append(key, size, [record(size + 1)]);
      position = size + 1;
      const there = await store.read(key);
      assert.equal(Buffer.compare(there.snapshot, snapshot), 0);
      assert.deepEqual([there.snapshotPosition, there.position, positionsOf(there.records)], [size, position, [position]]);
      assert.deepEqual(positionsOf((await store.read(key, size)).records), [position]);
    }
  });

  test("processes that start at once create the tables once", async () => {
    const stores = Array.from({ length: 20 }, (_, i) => postgresStore(i % 2 ? pgPool(server.url, { max: 1 }) : postgresJs(server.url, { max: 1 }), { schema: "fresh" }));
    await Promise.all(stores.map((store, i) => store.setItem(`${i}`, "there")));
    assert.equal((await stores[0].getKeys()).length, 20);
    const { rows } = await pgPool(server.url).query("SELECT version FROM fresh.contextfold_version");
    assert.deepEqual(rows, [{ version: 1 }]);
  });

  test("a role that may not create tables gets an error that says what is missing, and works once it exists", async () => {
    const admin = pgPool(server.url);
    await admin.query("CREATE ROLE modest LOGIN");
    const url = server.url.replace("tester", "modest");
    const [asking, making] = [postgresStore(pgPool(url), { schema: "given", migrate: false }), postgresStore(pgPool(url), { schema: "given" })];
    await assert.rejects(asking.read("a"), /contextfold's tables are missing in the schema `given`: run the SQL that `postgresSchema` returns/);
    await assert.rejects(making.read("a"), { code: "42501" });
    await admin.query(postgresSchema("given"));
    await admin.query(postgresSchema("given")); // again: nothing happens
    await admin.query("GRANT USAGE ON SCHEMA given TO modest; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA given TO modest");
    for (const store of [asking, making]) {
      const key = newKey();
      await store.replace(key, null, snapshotAt(1), 1);
      await store.append(key, 1, recordsBehind(1, 2));
      await store.replace(key, 3, snapshotAt(3), 3);
      await store.remove(key);
      assert.equal(await store.read(key), null);
    }
  });

  test("a role that may create tables, but no schemas, creates them", async () => {
    const admin = pgPool(server.url);
    await admin.query("CREATE ROLE builder LOGIN; CREATE SCHEMA theirs AUTHORIZATION builder");
    const store = postgresStore(pgPool(server.url.replace("tester", "builder")), { schema: "theirs" });
    await store.setItem("a", "b");
    assert.equal(await store.getItem("a"), "b");
  });

  test("tables of a later version are left unchanged", async () => {
    const admin = pgPool(server.url);
    await admin.query(`${postgresSchema("later")} INSERT INTO later.contextfold_version VALUES (2)`);
    await assert.rejects(postgresStore(admin, { schema: "later" }).read("a"), /have version 2, but this package supports only versions up to 1/);
  });

  test("an append is one statement, and one round trip with pg", async () => {
    const asked = [];
    const pool = pgPool(server.url);
    const store = postgresStore({ query: (query) => (asked.push(query), pool.query(query)) });
    const key = newKey();
    await store.replace(key, null, snapshotAt(1), 1);
    asked.length = 0;
    await store.append(key, 1, recordsBehind(1, 3));
    await store.read(key);
    await store.replace(key, 4, snapshotAt(4), 4);
    await store.remove(key);
    assert.equal(asked.length, 4);
    assert.ok(asked.every(({ name }) => name === undefined));
  });

  test("a removal also removes records that were being appended", async () => {
    // The append holds the row while the removal begins: the removal's own statement cannot see what the append inserts.
    const store = open();
    const key = newKey();
    await store.replace(key, null, snapshotAt(1), 1);
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    made.push(() => client.end());
    await client.query("BEGIN");
    await postgresStore(client).append(key, 1, [record(2)]);
    const removing = store.remove(key);
    await sleep(200);
    await client.query("COMMIT");
    await removing;
    const { rows } = await client.query("SELECT * FROM public.contextfold_records WHERE key = $1", [key]);
    assert.deepEqual(rows, []);
    await store.replace(key, null, snapshotAt(0), 0);
    assert.equal((await store.read(key)).records.length, 0);
  });

  test("an append that is rolled back leaves nothing", async () => {
    const store = open();
    const key = newKey();
    await store.replace(key, null, snapshotAt(1), 1);
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    made.push(() => client.end());
    await client.query("BEGIN");
    await postgresStore(client).append(key, 1, [record(2)]);
    const appending = store.append(key, 1, [record(2), record(3)]);
    await sleep(100);
    await client.query("ROLLBACK");
    await appending;
    assert.deepEqual(positionsOf((await store.read(key)).records), [2, 3]);
  });

  test("no record is stored twice: one row per position", async () => {
    const pool = pgPool(server.url);
    const store = postgresStore(pool);
    const key = newKey();
    await store.replace(key, null, snapshotAt(1), 1);
    await store.append(key, 1, [record(2)]);
    await assert.rejects(pool.query("INSERT INTO public.contextfold_records VALUES ($1, 2, '')", [key]), { code: "23505" });
  });

  test("a lease expires when it should, and may then be taken", async () => {
    const store = open();
    const key = newKey();
    assert.ok(await store.compareAndSet(key, null, "a", { ttlMs: 200.5 }));
    assert.equal(await store.compareAndSet(key, null, "b", { ttlMs: 200 }), false);
    await sleep(300);
    assert.equal(await store.getItem(key), null);
    assert.deepEqual(await store.getKeys(key), []);
    assert.equal(await store.compareAndSet(key, "a", "b"), false);
    const did = await Promise.all(["b", "c", "d"].map((next) => store.compareAndSet(key, null, next)));
    assert.equal(did.filter(Boolean).length, 1);
  });

  test("clients that modify the results they return do not change a journal", async () => {
    const sql = postgresJs(server.url, { transform: postgres.camel, types: { bigint: postgres.BigInt } });
    const store = postgresStore(sql);
    const key = newKey();
    await store.replace(key, null, snapshotAt(2 ** 52), 2 ** 52);
    await store.append(key, 2 ** 52, [record(2 ** 52 + 1)]);
    const { position, snapshotPosition, records } = await store.read(key);
    assert.deepEqual([position, snapshotPosition, positionsOf(records)], [2 ** 52 + 1, 2 ** 52, [2 ** 52 + 1]]);
  });

  test("an invalid client is refused at once", () => {
    for (const client of [undefined, {}]) assert.throws(() => postgresStore(client), /needs a Pool or a Client of `pg`/);
  });
});
