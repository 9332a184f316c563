// Sweeping tool outputs that no session refers to any more, with real sessions, on several stores.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Session } from "contextfold";
import { wrapStore } from "contextfold/stores/encrypted";
import { fileStore } from "contextfold/stores/files";
import { memoryJournals, memoryStore } from "contextfold/stores/memory";
import { segmented } from "contextfold/stores/segments";
import { sqliteStore } from "contextfold/stores/sqlite";
import { remove, sweep } from "contextfold/stores/sweep";
import { nodeOf } from "../../scripts/lib/installed.mjs";
import { calls, failsWith, output, user } from "../support/session.mjs";
import { runTests } from "./run.mjs";

const folder = mkdtempSync(join(tmpdir(), "contextfold-sweep-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const OUTPUTS = "contextfold:output:";
const text = (n) => `line of ${n}\n`.repeat(1_500);
const options = (store, more) => ({ contextWindow: 100_000, store, toolOutputCache: { memoryBytes: 40_000, maxMessageBytes: 500 }, ...more });

/** Steps whose outputs are not whole in the view, so that the oldest leave memory. */
async function read(session, ...files) {
  for (const n of files) session.push([calls(`c${session.messages.length}`), output(`c${session.messages.length}`, text(n))]);
  await session.flush();
}

/** A saved session with six outputs, the older of which are in the store. */
async function saved(store, key, first = 0, more) {
  const session = new Session(options(store, more));
  await read(session, first, first + 1, first + 2);
  await session.save(store, key);
  await read(session, first + 3, first + 4, first + 5);
  await session.save(store, key);
  return session;
}

const outputs = async (store) => (await store.getKeys(OUTPUTS)).sort();
/** Long enough for everything to be older than 0 ms by any store's clock. */
const aged = () => sleep(20);
/** Longer than a busy machine takes from storing an output to looking at its age. */
const MOMENT_MS = 1_000;
/** `sweep` that treats nothing as too new. */
const swept = async (store, more) => {
  await aged();
  return sweep(store, { olderThanMs: 0, ...more });
};

/** Asserts that every output that a saved session refers to can be read. */
async function isWhole(store, key) {
  const session = await Session.load(store, key);
  for (const { id } of session.toolOutputs.refs()) assert.match((await session.toolOutputs.get(id)) ?? "", /^line of/, `${key}: ${id}`);
  session.free();
}

/** The store, with a hook that runs as soon as a session has been read. */
const meanwhile = (store, happens) => {
  let happened;
  const read = async (...args) => {
    const journal = await store.read(...args);
    await (happened ??= happens());
    return journal;
  };
  return { ...store, read };
};

let folders = 0;
const STORES = {
  memory: () => memoryJournals(),
  files: () => fileStore(join(folder, `${++folders}`)),
  "an ordinary store": () => segmented(memoryStore()),
  "encrypted files": () => wrapStore(fileStore(join(folder, `${++folders}`)), { encrypt: () => ({ id: "a", key: new Uint8Array(32).fill(7) }) }),
};
const onThisNode = process.getBuiltinModule("node:sqlite") !== undefined;
if (onThisNode) STORES.sqlite = () => sqliteStore(join(folder, `${++folders}.db`));
else test("with the SQLite of Node 22", { timeout: 300_000 }, (t) => runTests(t, nodeOf(22), fileURLToPath(import.meta.url)));

for (const [name, open] of Object.entries(STORES))
  describe(name, () => {
    test("outputs referenced by sessions stay, in snapshots and in records; unreferenced ones are removed", async (t) => {
      const store = open();
      t.after(() => store.close?.());
      for (const [key, first] of [["a", 0], ["b", 6], ["c", 12]]) (await saved(store, key, first)).free();
      const all = await outputs(store);
      assert.ok(all.length >= 6, `${all.length} outputs left memory`);
      assert.deepEqual(await swept(store), { kept: all.length, removed: 0 });
      await store.remove("b");
      const { kept, removed } = await swept(store);
      assert.ok(removed > 0 && kept > 0);
      assert.equal(kept + removed, all.length);
      assert.equal((await outputs(store)).length, kept);
      for (const key of ["a", "c"]) await isWhole(store, key);
      for (const key of ["a", "c"]) await store.remove(key);
      assert.deepEqual(await swept(store), { kept: 0, removed: kept });
      assert.deepEqual(await outputs(store), []);
    });

    test("an output shared by two sessions stays until both are gone", async (t) => {
      const store = open();
      t.after(() => store.close?.());
      for (const key of ["a", "b"]) (await saved(store, key)).free();
      const all = (await outputs(store)).length;
      await store.remove("a");
      assert.deepEqual(await swept(store), { kept: all, removed: 0 });
      await isWhole(store, "b");
      await store.remove("b");
      assert.deepEqual(await swept(store), { kept: 0, removed: all });
    });

    test("an output stored within the last hour stays", async (t) => {
      const store = open();
      t.after(() => store.close?.());
      const session = new Session(options(store));
      await read(session, 0, 1, 2, 3);
      const all = (await outputs(store)).length;
      assert.ok(all > 0);
      await aged();
      assert.deepEqual(await sweep(store), { kept: all, removed: 0 });
      await session.save(store, "a");
      await isWhole(store, "a");
    });

    test("an output stored again while a sweep runs stays", async (t) => {
      const store = open();
      t.after(() => store.close?.());
      (await saved(store, "gone")).free();
      (await saved(store, "other", 20)).free();
      await store.remove("gone");
      await sleep(2 * MOMENT_MS);
      let session;
      const again = meanwhile(store, async () => {
        session = new Session(options(store));
        await read(session, 0, 1, 2, 3, 4, 5); // as the removed one did; it is not saved yet
      });
      const { removed } = await sweep(again, { olderThanMs: MOMENT_MS });
      assert.equal(removed, 0);
      await session.save(store, "new");
      await isWhole(store, "new");
      await isWhole(store, "other");
    });

    test("a session saved while a slow sweep runs keeps outputs it stored before the sweep", async (t) => {
      const store = open();
      t.after(() => store.close?.());
      (await saved(store, "other", 20)).free();
      const session = new Session(options(store));
      await read(session, 0, 1, 2, 3, 4, 5);
      const slow = meanwhile(store, async () => {
        await session.save(store, "new");
        await sleep(1_200);
      });
      assert.equal((await sweep(slow, { olderThanMs: 1_000 })).removed, 0);
      await isWhole(store, "new");
    });

    test("a session that moves to another key while a sweep runs keeps its outputs", async (t) => {
      const store = open();
      t.after(() => store.close?.());
      (await saved(store, "old")).free();
      await aged();
      const list = async (prefix) => {
        const keys = await store.list(prefix);
        if (keys.includes("old")) {
          const session = await Session.load(store, "old");
          await session.save(store, "new");
          await store.remove("old");
          session.free();
        }
        return keys;
      };
      assert.equal((await sweep({ ...store, list }, { olderThanMs: 0 })).removed, 0);
      await isWhole(store, "new");
    });

    test("two sweeps at once are safe", async (t) => {
      const store = open();
      t.after(() => store.close?.());
      for (const [key, first] of [["a", 0], ["b", 6]]) (await saved(store, key, first)).free();
      await store.remove("a");
      const [one, two] = await Promise.all([swept(store), swept(store)]);
      assert.ok(one.removed + two.removed > 0);
      assert.deepEqual((await swept(store)).removed, 0);
      await isWhole(store, "b");
    });

    test("an erased message's output is removed once the session is saved", async (t) => {
      const store = open();
      t.after(() => store.close?.());
      const session = await saved(store, "a");
      const before = (await outputs(store)).length;
      session.erase(session.messages[1].id ?? session.items()[1].id);
      assert.equal((await swept(store)).removed, 0);
      await session.save(store, "a");
      assert.equal((await swept(store)).removed, 1);
      assert.equal((await outputs(store)).length, before - 1);
      await session.save(store, "a");
    });

    test("removing a session removes the outputs that no other session refers to", async (t) => {
      const store = open();
      t.after(() => store.close?.());
      const session = await saved(store, "a");
      session.free();
      const ofA = (await outputs(store)).length;
      (await saved(store, "b", 2)).free(); // shares some of them
      (await saved(store, "c", 40)).free();
      const all = (await outputs(store)).length;
      await aged();
      const { kept, removed } = await remove(store, "a", { olderThanMs: 0 });
      assert.ok(kept > 0 && removed > 0);
      assert.equal(kept + removed, ofA);
      assert.deepEqual((await store.list()).sort(), ["b", "c"]);
      assert.equal((await outputs(store)).length, all - removed);
      for (const key of ["b", "c"]) await isWhole(store, key);
      assert.deepEqual(await remove(store, "a"), { kept: 0, removed: 0 });
    });
  });

describe("what cannot be read", () => {
  /** Nothing is removed if the second of two sessions is damaged as `damage` does it; a third one is gone. */
  async function refused(damage, code) {
    const store = memoryJournals();
    for (const [key, first] of [["chat-1", 0], ["chat-2", 6], ["gone", 12]]) (await saved(store, key, first)).free();
    await store.remove("gone");
    const all = (await outputs(store)).length;
    const damaged = await damage(store);
    await assert.rejects(swept(damaged), failsWith(code, /^nothing was removed.*`chat-2`/s));
    assert.equal((await outputs(store)).length, all);
    await assert.rejects(remove(damaged, "chat-2", { olderThanMs: 0 }), failsWith(code, /^nothing was removed.*`chat-2`/s));
    assert.deepEqual((await store.list()).sort(), ["chat-1", "chat-2"]);
    await assert.rejects(remove(damaged, "chat-1", { olderThanMs: 0 }), failsWith(code, /^`chat-1` was removed, but its tool outputs were not.*`chat-2`/s));
    assert.deepEqual(await store.list(), ["chat-2"]);
    assert.equal((await outputs(store)).length, all);
    await store.remove("chat-2");
    assert.deepEqual(await swept(store), { kept: 0, removed: all });
  }

  /** The store, with another snapshot for `chat-2`. */
  const altering = (change) => async (store) => ({
    ...store,
    async read(key, from) {
      const journal = await store.read(key, from);
      return key === "chat-2" && journal ? { ...journal, ...change(journal) } : journal;
    },
  });

  test("a damaged snapshot", () => refused(altering(({ snapshot }) => ({ snapshot: snapshot.slice(0, -9) })), "STORE_FAILED"));
  test("a damaged record", () => refused(altering(({ records }) => ({ records: records.map((byte, n) => (n === 20 ? byte ^ 1 : byte)) })), "STORE_FAILED"));
  test("data saved by a newer version", () =>
    refused(
      altering(({ snapshot }) => {
        const line = new TextDecoder().decode(snapshot.slice(0, snapshot.indexOf(10)));
        const newer = new TextEncoder().encode(line.replace(/ (\d+) /, " 9999 "));
        return { snapshot: Buffer.concat([newer, snapshot.slice(snapshot.indexOf(10))]) };
      }),
      "SNAPSHOT_TOO_NEW",
    ));
  test("a failing store", () =>
    refused(async (store) => ({ ...store, read: async (key, from) => (key === "chat-2" ? assert.fail("connection refused") : store.read(key, from)) }), "STORE_FAILED"));

  test("data encrypted with a missing key", async () => {
    const place = memoryJournals();
    const keyed = (...ids) => wrapStore(place, { encrypt: (id = ids[0]) => (ids.includes(id) ? { id, key: new Uint8Array(32).fill(id.charCodeAt(0)), older: ids } : null) });
    (await saved(keyed("a"), "chat-a")).free();
    (await saved(keyed("b", "a"), "chat-b", 6)).free();
    const all = (await outputs(place)).length;
    await place.remove("chat-b");
    await assert.rejects(swept(keyed("b")), failsWith("STORE_FAILED", /^nothing was removed.*`chat-a`.*no key `a`/s));
    await assert.rejects(swept(place), failsWith("STORE_FAILED", /^nothing was removed.*`chat-a`/s));
    assert.equal((await outputs(place)).length, all);
    assert.ok((await swept(keyed("b", "a"))).removed > 0);
    await isWhole(keyed("b", "a"), "chat-a");
  });

  test("a session restored without its functions can be read", async () => {
    const store = memoryJournals();
    (await saved(store, "a", 0, { compaction: { redact: (text) => text }, tokenizer: (text) => text.length, summarize: async () => "<summary>none</summary>" })).free();
    assert.equal((await swept(store)).removed, 0);
  });
});

describe("what the options ask for", () => {
  test("a session without outputs in the store is removed without reading others", async () => {
    const store = memoryJournals();
    const session = new Session({ contextWindow: 100_000 });
    session.push(user("hello"));
    for (const key of ["a", "b"]) await session.save(store, key);
    const looked = [];
    const looking = { ...store, read: (key, from) => (looked.push(key), store.read(key, from)) };
    assert.deepEqual(await remove(looking, "a"), { kept: 0, removed: 0 });
    assert.deepEqual(looked, ["a"]);
    assert.deepEqual(await store.list(), ["b"]);
  });

  test("invalid options are refused", async () => {
    const store = memoryJournals();
    for (const olderThanMs of [-1, NaN, Infinity, "1"]) await assert.rejects(sweep(store, { olderThanMs }), failsWith("INVALID_ARGUMENT", /olderThanMs/));
    await assert.rejects(sweep(store, { olderThan: 1 }), failsWith("INVALID_ARGUMENT", /`olderThan`/));
    await assert.rejects(remove(store, "a", { ms: 1 }), failsWith("INVALID_ARGUMENT", /`ms`/));
    for (const key of [undefined, null, "", 5]) await assert.rejects(remove(store, key), failsWith("INVALID_ARGUMENT", /^key: expected the key of the session/));
    for (const options of [null, 5]) await assert.rejects(sweep(store, options), failsWith("INVALID_ARGUMENT", /^options: /));
    await assert.rejects(sweep({}), failsWith("INVALID_ARGUMENT", /store/));
    const { getKeys: _, ...listless } = memoryStore();
    await assert.rejects(sweep(listless), failsWith("STORE_FAILED", /getKeys/));
  });

  test("an ordinary store is swept including its segments", async () => {
    const store = memoryStore();
    (await saved(store, "a")).free();
    (await saved(store, "b", 6)).free();
    await remove(store, "a", { olderThanMs: 60_000 });
    assert.deepEqual(await segmented(store).list(), ["b"]);
    assert.ok((await swept(store)).removed > 0);
    await isWhole(store, "b");
  });

  test("an output that a session stores again in an ordinary store counts as new again", async () => {
    const store = memoryStore();
    (await saved(store, "a")).free();
    await remove(store, "a", { olderThanMs: 0 }); // its age starts here
    await sleep(60);
    const session = new Session(options(store));
    await read(session, 0, 1, 2, 3, 4, 5);
    assert.equal((await sweep(store, { olderThanMs: 50 })).removed, 0);
    await session.save(store, "b");
    await isWhole(store, "b");
  });
});
