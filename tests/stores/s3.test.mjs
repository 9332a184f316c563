// Journals on a server that speaks S3, through both kinds of client.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { frame } from "../../pkg/stores/frames.js";
import { s3Store } from "../../pkg/stores/s3.js";
import { contract, newKey, positionsOf, record, recordsBehind, snapshotAt } from "./contract.mjs";
import { missing, startS3 } from "./servers.mjs";

const skip = missing.s3 || missing.clients;
const { AwsClient, s3: commands } = skip ? {} : await import("./clients/clients.mjs");

describe("S3", { skip }, () => {
  let server;
  const made = [];
  before(async () => (server = await startS3("chats")));
  after(async () => {
    for (const client of made) client.destroy();
    await server?.stop();
  });

  const credentials = { accessKeyId: "none", secretAccessKey: "none" };
  const sdk = () => {
    const client = new commands.S3Client({ endpoint: server.url, region: "us-east-1", credentials, forcePathStyle: true });
    made.push(client);
    return client;
  };
  const signing = () => new AwsClient({ ...credentials, region: "us-east-1", service: "s3" });
  const open = (client = sdk(), prefix = "own/") => s3Store({ client, commands, bucket: "chats", prefix });
  /** A client that intercepts each request: `around(command's name, its input, send)`. */
  const through = (around) => {
    const client = sdk();
    return { send: async (command) => around(command.constructor.name.replace("Command", ""), command.input, () => client.send(command)) };
  };
  const objects = async (prefix) => ((await sdk().send(new commands.ListObjectsV2Command({ Bucket: "chats", Prefix: prefix }))).Contents ?? []).map(({ Key }) => Key);
  const counting = () => {
    const counts = {};
    const client = through((name, _, send) => ((counts[name] = (counts[name] ?? 0) + 1), send()));
    return { client, counts, clear: () => Object.keys(counts).forEach((name) => delete counts[name]) };
  };

  contract("S3 by its SDK", async () => s3Store({ client: sdk(), commands, bucket: "chats", prefix: "sdk/" }), { skip, racers: 20 });
  contract("S3 by a fetch that signs", async () => s3Store({ client: signing(), endpoint: server.url, bucket: "chats", prefix: "a & b/<fetch>/" }), { skip, racers: 20 });

  describe("the server decides conditional writes like Amazon's", () => {
    const put = (input) => sdk().send(new commands.PutObjectCommand({ Bucket: "chats", Body: "x", ...input }));
    const status = (promise) => promise.then(() => 200, (error) => error.$metadata.httpStatusCode);
    test("one after the other", async () => {
      assert.equal(await status(put({ Key: "c", IfMatch: '"none"' })), 404);
      const { ETag } = await put({ Key: "c", Body: "a", IfNoneMatch: "*" });
      assert.equal(await status(put({ Key: "c", IfNoneMatch: "*" })), 412);
      assert.equal(await status(put({ Key: "c", Body: "b", IfMatch: ETag })), 200);
      assert.equal(await status(put({ Key: "c", IfMatch: ETag })), 412);
      assert.equal(await status(sdk().send(new commands.DeleteObjectCommand({ Bucket: "chats", Key: "c", IfMatch: ETag }))), 412);
    });
    test("of many at once, one succeeds", async () => {
      const first = await Promise.all(Array.from({ length: 30 }, (_, i) => status(put({ Key: "d", Body: `${i}`, IfNoneMatch: "*" }))));
      assert.equal(first.filter((code) => code === 200).length, 1);
      const { ETag } = await put({ Key: "d", Body: "now" });
      const second = await Promise.all(Array.from({ length: 30 }, (_, i) => status(put({ Key: "d", Body: `${i}`, IfMatch: ETag }))));
      assert.equal(second.filter((code) => code === 200).length, 1);
    });
  });

  test("an append is one PUT, and a reader that lacks only the last record reads one object", async () => {
    const { client, counts, clear } = counting();
    const store = open(client);
    const key = newKey();
    await store.replace(key, null, snapshotAt(0), 0);
    clear();
    for (let position = 0; position < 40; position++) await store.append(key, position, recordsBehind(position, 1, 1_200));
    assert.deepEqual(counts, { PutObject: 40 });
    clear();
    assert.deepEqual(positionsOf((await store.read(key, 38)).records), [39, 40]);
    assert.deepEqual(counts, { GetObject: 1 });
    clear();
    const cold = open(client);
    await cold.append(key, 40, [record(41)]);
    assert.deepEqual(counts, { GetObject: 1, PutObject: 1 });
  });

  test("records become segments, and segments are merged", async () => {
    const { client, counts } = counting();
    const store = open(client);
    const key = newKey();
    await store.replace(key, null, snapshotAt(0), 0);
    const EACH = 9; // 11 kB, so that not every save takes a minute
    for (let position = 0; position < 5_400; position += EACH) await store.append(key, position, recordsBehind(position, EACH, 1_200));
    const parts = await objects(`own/parts/${key}/`);
    assert.ok(parts.length <= 13, `${parts.length} objects of 6.6 MB`);
    assert.ok(counts.PutObject < 600 + 110, `${counts.PutObject} PUTs`);
    assert.ok(counts.GetObject < 110, `${counts.GetObject} GETs`);
    const other = open();
    assert.deepEqual(positionsOf((await other.read(key)).records).length, 5_400);
    for (const from of [1, 3_000, 5_000, 5_300, 5_399]) {
      const { records, snapshot } = await other.read(key, from);
      assert.equal(snapshot, null);
      const positions = positionsOf(records);
      assert.deepEqual([positions[0], positions.at(-1), positions.length], [from + 1, 5_400, 5_400 - from]);
    }
    await store.replace(key, 5_400, snapshotAt(5_400), 5_400);
    assert.equal((await objects(`own/parts/${key}/`)).length, 1, "the snapshot");
    await store.remove(key);
    assert.deepEqual(await objects(`own/parts/${key}/`), []);
    assert.deepEqual(await objects(`own/journals/${key}`), []);
  });

  test("a lost answer followed by the client's retry is not a conflict", async () => {
    const isConditional = ({ IfMatch, IfNoneMatch }) => IfMatch || IfNoneMatch;
    const store = open(through(async (name, input, send) => {
      if (name === "PutObject" && isConditional(input)) await send();
      return send();
    }));
    const key = newKey();
    await store.replace(key, null, snapshotAt(1), 1);
    await store.append(key, 1, [record(2)]);
    await store.append(key, 2, recordsBehind(2, 60, 1_200));
    await store.replace(key, 62, snapshotAt(62), 62);
    await store.append(key, 62, [record(63)]);
    const there = await open().read(key);
    assert.deepEqual([there.snapshotPosition, positionsOf(there.records)], [62, [63]]);
    assert.equal(await store.compareAndSet(key, null, "a"), true);
    assert.equal(await store.compareAndSet(key, "a", "b"), true);
    assert.equal(await store.compareAndSet(key, "a", "c"), false);
  });

  test("nor if others have written since", async () => {
    const other = open();
    const key = newKey();
    await other.replace(key, null, snapshotAt(1), 1);
    const store = open(through(async (name, input, send) => {
      if (name === "PutObject" && input.IfMatch) {
        await send();
        await other.append(key, 2, [record(3)]);
      }
      return send();
    }));
    await store.append(key, 1, [record(2)]);
    assert.deepEqual(positionsOf((await other.read(key)).records), [2, 3]);
  });

  test("409, which S3 returns if two write at once, is retried", async () => {
    let left = 3;
    const store = open(through((name, input, send) => {
      if (name === "PutObject" && (input.IfMatch || input.IfNoneMatch) && left-- > 0) throw Object.assign(new Error("ConditionalRequestConflict"), { $metadata: { httpStatusCode: 409 } });
      return send();
    }));
    const key = newKey();
    await store.replace(key, null, snapshotAt(1), 1);
    left = 3;
    await store.append(key, 1, recordsBehind(1, 60, 1_200));
    assert.equal(positionsOf((await open().read(key)).records).length, 60);
  });

  for (const [moment, isThen] of [["before the head is read again", (name) => name === "GetObject"], ["before the second try", (name) => name === "PutObject"]])
    test(`a first attempt that arrives late, ${moment}, is not a conflict, and finds its parts`, async () => {
      // The client gave up waiting, retried by itself, and got a 409 while the first attempt was still being written.
      let late = null;
      const store = open(through(async (name, input, send) => {
        const isHead = input.Key.startsWith("own/journals/");
        if (isHead && input.IfMatch && late === null) {
          late = send;
          throw Object.assign(new Error("ConditionalRequestConflict"), { $metadata: { httpStatusCode: 409 } });
        }
        if (isHead && late && isThen(name)) {
          const first = late;
          late = undefined;
          await first();
        }
        return send();
      }));
      const key = newKey();
      await store.replace(key, null, snapshotAt(1), 1);
      await store.append(key, 1, recordsBehind(1, 60, 1_200));
      assert.equal(late, undefined);
      assert.equal(positionsOf((await open().read(key)).records).length, 60);
    });

  test("a reader that finds a part missing reads the head again", async () => {
    const writer = open();
    const key = newKey();
    await writer.replace(key, null, snapshotAt(1), 1);
    await writer.append(key, 1, recordsBehind(1, 60, 1_200));
    let isFirst = true;
    const reader = open(through(async (name, input, send) => {
      if (name === "GetObject" && input.Key.includes("/parts/") && isFirst) {
        isFirst = false;
        await writer.replace(key, 61, snapshotAt(61), 61);
      }
      return send();
    }));
    const there = await reader.read(key);
    assert.deepEqual([there.snapshotPosition, positionsOf(there.records)], [61, []]);
  });

  test("a part that is gone for good is an error, not an empty journal", async () => {
    const store = open();
    const key = newKey();
    await store.replace(key, null, snapshotAt(1), 1);
    const [name] = await objects(`own/parts/${key}/`);
    await sdk().send(new commands.DeleteObjectCommand({ Bucket: "chats", Key: name }));
    await assert.rejects(store.read(key), /refers to an object that is missing/);
    await store.remove(key);
    assert.equal(await store.read(key), null);
  });

  test("leftovers of a dead writer are removed with the next snapshot, but not what a late writer still needs", async () => {
    const key = newKey();
    const store = open();
    await store.replace(key, null, snapshotAt(1), 1);
    const dying = open(through((name, input, send) => {
      if (input.IfMatch) throw new Error("the process died");
      return send();
    }));
    await assert.rejects(dying.append(key, 1, recordsBehind(1, 60, 1_200)), /died/);
    assert.equal((await objects(`own/parts/${key}/`)).length, 2);
    // This writer puts its part after the next head, before the other one's parts are checked.
    let written = null;
    const slow = open(through((name, input, send) => (name === "PutObject" && input.IfMatch ? written().then(send) : send())));
    const cleaning = open(through(async (name, input, send) => {
      if (name === "ListObjectsV2") {
        let go;
        const isWritten = new Promise((done) => (written = () => (done(), new Promise((later) => (go = later)))));
        const appending = slow.append(key, 1, recordsBehind(1, 60, 1_200));
        await isWritten;
        const page = await send();
        assert.equal(page.Contents.length, 4);
        setTimeout(() => go(), 100);
        appending.catch(() => {});
        cleaning.appending = appending;
        return page;
      }
      return send();
    }));
    await cleaning.replace(key, 1, snapshotAt(1), 1);
    await cleaning.appending;
    assert.equal((await objects(`own/parts/${key}/`)).length, 2);
    assert.equal(positionsOf((await store.read(key)).records).length, 60);
  });

  test("however appends and replacements race, what was acknowledged is there, once", async () => {
    const key = newKey();
    await open().replace(key, null, new Uint8Array(0), 0);
    const text = (bytes) => new TextDecoder().decode(bytes);
    const BODY = 20_000; // so that segments are written and merged
    const held = ({ snapshot, records }) => {
      const all = text(snapshot).split(" ").filter(Boolean);
      for (let at = 0; at < records.length; at += BODY + 21) all.push(text(records.subarray(at + 13, at + 13 + 20)).trim());
      return all;
    };
    const acknowledged = [];
    const writers = Array.from({ length: 5 }, async (_, writer) => {
      const store = open();
      for (let n = 0; n < 12; ) {
        const there = await store.read(key);
        const id = `${writer}:${n}`;
        try {
          const next = there.position + 1;
          if ((writer + n) % 4 === 0) await store.replace(key, there.position, new TextEncoder().encode([...held(there), id].join(" ")), next);
          else await store.append(key, there.position, [frame(next, new TextEncoder().encode(id.padEnd(BODY)))]);
          acknowledged.push(id);
          n += 1;
        } catch (error) {
          assert.equal(error.code, "STORE_CONFLICT", error.stack);
        }
      }
    });
    await Promise.all(writers);
    assert.equal(acknowledged.length, 60);
    assert.deepEqual(held(await open().read(key)).sort(), acknowledged.sort());
  });

  test("an output stored again while it is being removed stays", async () => {
    const writer = open();
    const key = newKey("output");
    await writer.setItemRaw(key, Uint8Array.of(1));
    const remover = (step) => open(through(async (name, input, send) => {
      if (name === step && input.Key.includes("/items/")) await writer.setItemRaw(key, Uint8Array.of(1));
      return send();
    }));
    await new Promise((done) => setTimeout(done, 1100));
    for (const step of ["PutObject", "DeleteObject"]) {
      await remover(step).removeOlder(key, 1);
      assert.deepEqual([...(await writer.getItemRaw(key))], [1], step);
    }
  });

  test("an object marked as removed counts as absent", async () => {
    const key = newKey("output");
    const store = open(through((name, input, send) => {
      if (name === "DeleteObject") throw Object.assign(new Error("NotImplemented"), { $metadata: { httpStatusCode: 501 } });
      return send();
    }));
    await store.setItem(key, "a");
    await new Promise((done) => setTimeout(done, 1100));
    assert.equal(await store.removeOlder(key, 0), true);
    assert.equal(await store.getItem(key), null);
    assert.deepEqual(await store.getKeys(key), []);
    assert.equal(await store.removeOlder(key, 0), false);
    assert.equal(await store.compareAndSet(key, null, "b"), true);
    assert.equal(await store.getItem(key), "b");
  });

  test("an error from S3 is passed on as the client's error", async () => {
    const [bySdk, byFetch] = [s3Store({ client: sdk(), commands, bucket: "none" }), s3Store({ client: signing(), endpoint: server.url, bucket: "none" })];
    for (const ask of [(store) => store.setItem("a", "b"), (store) => store.read("a"), (store) => store.append("a", 1, [record(2)]), (store) => store.list()]) {
      await assert.rejects(ask(bySdk), { name: "NoSuchBucket" });
      await assert.rejects(ask(byFetch), /S3 answered 404: .*NoSuchBucket/s);
    }
  });

  test("an invalid client is refused at once", () => {
    for (const options of [{}, { client: {} }, { client: sdk(), bucket: "chats" }, { client: signing(), bucket: "chats" }]) assert.throws(() => s3Store(options), /s3Store needs/);
  });
});
