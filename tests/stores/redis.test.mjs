// Journals in a real Redis, through both clients.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { redisStore } from "../../pkg/stores/redis.js";
import { contract, newKey, positionsOf, record, recordsBehind, snapshotAt } from "./contract.mjs";
import { missing, startRedis } from "./servers.mjs";

const skip = missing.redis || missing.clients;
const { Cluster, Redis, Redis5, nodeRedis, nodeRedis5 } = skip ? {} : await import("./clients/clients.mjs");

/** For tests that differ little from others that run with every combination. */
const LESS = { racers: 20, many: 400, bigBytes: 2_000_000 };

/** How each client is created and closed. */
const CLIENTS = {
  "ioredis 6": { make: ({ port }) => new Redis(port, "127.0.0.1"), end: (client) => client.quit() },
  "ioredis 5": { make: ({ port }) => new Redis5(port, "127.0.0.1"), end: (client) => client.quit() },
  "redis 6": { make: ({ url }) => nodeRedis.createClient({ url }).connect(), end: (client) => client.close() },
  "redis 5": { make: ({ url }) => nodeRedis5.createClient({ url }).connect(), end: (client) => client.close() },
};
const CLUSTERS = {
  "ioredis 6, cluster": { make: ({ port }) => new Cluster([{ port, host: "127.0.0.1" }]), end: (client) => client.quit() },
  "redis 6, cluster": { make: ({ url }) => nodeRedis.createCluster({ rootNodes: [{ url }] }).connect(), end: (client) => client.close() },
};

/** Runs `tests` with a server and with clients of it, which are closed afterwards. */
function withServer(name, options, tests) {
  describe(name, { skip }, () => {
    const made = [];
    const context = {
      async connect({ make, end }) {
        const client = await make(context.server);
        made.push(() => end(client));
        return client;
      },
    };
    before(async () => (context.server = await startRedis(options)));
    after(async () => {
      for (const end of made) await end();
      await context.server?.stop();
    });
    tests(context);
  });
}

withServer("Redis", {}, (context) => {
  const { connect } = context;
  for (const [name, client] of Object.entries(CLIENTS)) contract(name, async () => redisStore(await connect(client), { prefix: `${name}:` }), { skip, ...(name.endsWith("5") && LESS) });
  const open = async (options) => redisStore(await connect(CLIENTS["ioredis 6"]), options);

  test("each client reads what the other wrote", async () => {
    const [a, b] = [await open(), redisStore(await connect(CLIENTS["redis 6"]))];
    const key = newKey("日本 {a}");
    await a.replace(key, null, Uint8Array.of(0, 255, 128), 7);
    await b.append(key, 7, [record(8)]);
    const there = await a.read(key);
    assert.deepEqual([...there.snapshot], [0, 255, 128]);
    assert.deepEqual(positionsOf((await b.read(key, 7)).records), [8]);
    assert.ok((await b.list("日本 {")).includes(key));
    await b.setItemRaw(key, Uint8Array.of(255));
    assert.deepEqual([...(await a.getItemRaw(key))], [255]);
  });

  test("a journal is one key, which expires as a whole, and each write renews its expiry", async () => {
    const store = await open({ prefix: "ttl:", ttlMs: 1000 });
    const client = await connect(CLIENTS["ioredis 6"]);
    const key = newKey();
    await store.replace(key, null, snapshotAt(5), 5);
    await store.append(key, 5, [record(6)]);
    assert.deepEqual(await client.keys("ttl:*"), [`ttl:journal:${key}`]);
    for (let position = 6; position < 9; position++) {
      await sleep(500);
      await store.append(key, position, [record(position + 1)]);
      const left = await client.pttl(`ttl:journal:${key}`);
      assert.ok(left > 800 && left <= 1000, `${left} ms`);
    }
    await store.replace(key, 9, snapshotAt(9), 9);
    assert.ok((await client.pttl(`ttl:journal:${key}`)) > 800);
    await sleep(1100);
    assert.equal(await store.read(key), null);
    await assert.rejects(store.append(key, 9, [record(10)]), { code: "STORE_CONFLICT" });
  });

  test("a store without ttlMs keeps journals that another store would let expire", async () => {
    const [short, long] = [await open({ ttlMs: 400 }), await open()];
    const key = newKey();
    await short.replace(key, null, snapshotAt(1), 1);
    await long.append(key, 1, [record(2)]);
    await sleep(500);
    assert.equal((await long.read(key)).position, 2);
  });

  test("a lease expires when it should, and a text in its place does not", async () => {
    const store = await open();
    const [gone, kept] = [newKey(), newKey()];
    for (const key of [gone, kept]) assert.ok(await store.compareAndSet(key, null, "a", { ttlMs: 300.4 }));
    await store.setItem(kept, "b");
    await sleep(400);
    assert.equal(await store.getItem(gone), null);
    assert.ok(await store.compareAndSet(gone, null, "c"));
    assert.equal(await store.getItem(kept), "b");
  });

  test("prefixes keep stores apart, and ioredis's own keyPrefix is respected", async () => {
    const [a, b] = [await open({ prefix: "a*:" }), await open({ prefix: "a?:" })];
    const prefixed = redisStore(await connect({ make: ({ port }) => new Redis(port, "127.0.0.1", { keyPrefix: "own[1]:" }), end: (client) => client.quit() }));
    const key = newKey();
    for (const store of [a, b, prefixed]) {
      await store.replace(key, null, snapshotAt(1), 1);
      assert.deepEqual(await store.list(), [key].filter((name) => name === key));
    }
    assert.equal(await (await connect(CLIENTS["ioredis 6"])).exists(`own[1]:contextfold:journal:${key}`), 1);
  });

  test("ten thousand records in one append, and in one read", async () => {
    const store = redisStore(await connect(CLIENTS["redis 6"]));
    const key = newKey();
    await store.replace(key, null, snapshotAt(0), 0);
    await store.append(key, 0, recordsBehind(0, 10_000, 1_200));
    assert.equal(positionsOf((await store.read(key)).records).length, 10_000);
    assert.deepEqual(positionsOf((await store.read(key, 9_998)).records), [9_999, 10_000]);
  });

  test("a server that forgot the scripts gets them again", async () => {
    const client = await connect(CLIENTS["redis 6"]);
    const store = redisStore(client);
    await store.setItem("a", "1");
    await client.scriptFlush();
    assert.equal(await store.getItem("a"), "1");
  });

  test("a key of another type fails with the server's own error", async () => {
    const client = await connect(CLIENTS["ioredis 6"]);
    await client.set("contextfold:journal:text", "x");
    await assert.rejects(redisStore(client).read("text"), /WRONGTYPE/);
  });

  test("an invalid client is refused at once", () => {
    for (const client of [undefined, {}, { eval() {} }]) assert.throws(() => redisStore(client), /ioredis/);
  });
});

withServer("Redis that writes each change to the disk", { isDurable: true }, (context) => {
  test("what was acknowledged is there, even after a kill", async () => {
    const store = redisStore(await context.connect(CLIENTS["ioredis 6"]));
    const key = newKey();
    await store.replace(key, null, snapshotAt(1), 1);
    await store.append(key, 1, recordsBehind(1, 20, 1_200));
    await context.server.crash();
    assert.deepEqual(positionsOf((await store.read(key)).records).length, 20);
  });
});

withServer("Redis as a cluster", { isCluster: true }, ({ connect }) => {
  for (const [name, client] of Object.entries(CLUSTERS)) contract(name, async () => redisStore(await connect(client), { prefix: `${name}:` }), { skip, ...LESS });
});
