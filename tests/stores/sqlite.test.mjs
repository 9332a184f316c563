// The journal store in SQLite: node:sqlite, better-sqlite3 if installed, and a Durable Object in workerd.
//
// node:sqlite exists in Node since 22.13. In an older Node, the Node 22 of tests/package/runtimes runs this file.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { nodeOf } from "../../scripts/lib/installed.mjs";
import { sqliteStore } from "../../pkg/stores/sqlite.js";
import { contract, newKey, positionsOf, record, recordsBehind, snapshotAt } from "./contract.mjs";
import { durableObject } from "./durable-object.mjs";
import { killed } from "./killed.mjs";
import { runTests } from "./run.mjs";

const folder = mkdtempSync(join(tmpdir(), "contextfold-sqlite-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const sqlite = process.getBuiltinModule("node:sqlite");
const betterSqlite3 = (() => {
  try {
    const Database = createRequire(import.meta.url)("better-sqlite3");
    new Database(":memory:").close();
    return Database;
  } catch {
    return null;
  }
})();

contract("better-sqlite3", async () => handedIn(betterSqlite3), { skip: betterSqlite3 ? false : "better-sqlite3 is not installed, or not built for this Node" });

if (sqlite) onThisNode();
else {
  test("as Node 22 has it", { timeout: 300_000 }, (t) => runTests(t, nodeOf(22), fileURLToPath(import.meta.url)));
  test("a path without node:sqlite is refused", () => assert.throws(() => sqliteStore(join(folder, "a.db")), /Pass a better-sqlite3 database/));
}

/** A store on a database of the caller, which closes the database with the store. */
function handedIn(Database) {
  const database = new Database(join(folder, `${Database.name}.db`));
  database.exec("PRAGMA journal_mode = WAL");
  const store = sqliteStore(database, { fsync: true, busyTimeoutMs: 5000 });
  const close = async () => {
    await store.close();
    database.exec("SELECT 1"); // it belongs to the caller, and is open
    database.close();
  };
  return { ...store, close };
}

function onThisNode() {
  const path = join(folder, "sessions.db");
  const open = async () => sqliteStore(path);
  contract("node:sqlite, by its path", open);
  contract("node:sqlite, not synced", async () => sqliteStore(join(folder, "fast.db"), { fsync: false }));
  contract("node:sqlite, handed in", async () => handedIn(sqlite.DatabaseSync));
  killed("sqlite", path, open);

  describe("a Durable Object", () => {
    let object;
    after(() => object?.stop());
    contract("a Durable Object's storage", async () => (object ??= await durableObject()).store);
  });

  describe("the database", () => {
    const pragma = (database, name) => Object.values(database.prepare(`PRAGMA ${name}`).get())[0];

    test("is in WAL mode, and a failed append leaves nothing behind", async () => {
      const store = await open();
      const database = new sqlite.DatabaseSync(path);
      assert.equal(pragma(database, "journal_mode"), "wal");
      const key = newKey();
      await store.replace(key, null, snapshotAt(1), 1);
      await assert.rejects(store.append(key, 1, [record(2), { length: 5, subarray: () => ({}) }]));
      assert.equal((await store.read(key)).position, 1);
      await store.append(key, 1, recordsBehind(1, 2));
      assert.deepEqual(positionsOf((await store.read(key)).records), [2, 3]);
      assert.equal(database.prepare("SELECT count(*) AS count FROM contextfold_parts WHERE key = ?").get(key).count, 3);
      database.close();
      await store.close();
    });

    test("of the caller keeps its settings", async () => {
      const database = new sqlite.DatabaseSync(join(folder, "caller.db"));
      const before = ["journal_mode", "synchronous", "busy_timeout", "user_version"].map((name) => pragma(database, name));
      const store = sqliteStore(database);
      await store.replace("a", null, snapshotAt(1), 1);
      assert.deepEqual(["journal_mode", "synchronous", "busy_timeout", "user_version"].map((name) => pragma(database, name)), before);
      await store.close();
      database.close();
    });

    for (const option of ["readBigInts", "returnArrays"])
      test(`of the caller may return its rows in another way (${option})`, async () => {
        const database = new sqlite.DatabaseSync(":memory:", { [option]: true });
        const store = sqliteStore(database);
        await store.replace("a", null, snapshotAt(1), 1);
        await store.append("a", 1, recordsBehind(1, 2));
        const { position, snapshotPosition, records } = await store.read("a");
        assert.deepEqual([position, snapshotPosition, positionsOf(records)], [3, 1, [2, 3]]);
        assert.deepEqual(await store.list(), ["a"]);
        assert.equal(await store.compareAndSet("b", null, "c"), true);
        assert.equal(await store.getItem("b"), "c");
        database.close();
      });

    test("opened from a path has nothing left of what was replaced or removed", async () => {
      const own = mkdtempSync(join(folder, "removed-"));
      const store = sqliteStore(join(own, "a.db"));
      const secret = (position) => Buffer.concat([record(position), Buffer.from("hunter2 ".repeat(1000))]);
      for (const key of ["replaced", "removed"]) {
        await store.replace(key, null, snapshotAt(1), 1);
        for (let position = 1; position < 300; position++) await store.append(key, position, [secret(position + 1)]);
      }
      const inFiles = () => readdirSync(own).some((name) => readFileSync(join(own, name)).includes("hunter2"));
      assert.ok(inFiles());
      await store.replace("replaced", 300, snapshotAt(300), 300);
      await store.remove("removed");
      assert.ok(!inFiles());
      await store.close();
    });

    test("of a later version is left unchanged", () => {
      const database = new sqlite.DatabaseSync(":memory:");
      sqliteStore(database);
      database.exec("UPDATE contextfold_schema SET version = 2");
      assert.throws(() => sqliteStore(database), /have version 2, but this package supports only 1/);
      database.close();
    });

    test("must be a database", () => {
      for (const wrong of [null, undefined, 5, {}, { exec() {} }]) assert.throws(() => sqliteStore(wrong), /sqliteStore expects a path/);
      assert.throws(() => sqliteStore(join(folder, "no/such/folder/a.db")), /unable to open/);
    });

    test("the lease of a process that was killed while it wrote a summary does not make the next one wait", async () => {
      const own = join(folder, "lease.db");
      const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", `
        import { Session } from ${JSON.stringify(new URL("../../pkg/node.js", import.meta.url).href)};
        import { sqliteStore } from ${JSON.stringify(new URL("../../pkg/stores/sqlite.js", import.meta.url).href)};
        const session = new Session({ contextWindow: 4_000, summarize: () => { console.log("asked"); return new Promise(() => setInterval(() => {}, 1000)); } });
        for (let n = 0; n < 40; n++) session.push([{ role: "user", content: "And " + n + "?" }, { role: "assistant", content: "It is so. ".repeat(60) }]);
        await session.save(sqliteStore(process.argv[1]), "chat");
        await session.prepare();`, own], { stdio: ["ignore", "pipe", "inherit"] });
      await once(child.stdout, "data");
      const store = sqliteStore(own);
      assert.match(await store.getItem("chat:lease"), /^lease-/);
      assert.deepEqual(await store.getKeys(), ["chat:lease"]);
      assert.equal(await store.compareAndSet("chat:lease", null, "mine", { ttlMs: 60_000 }), false); // it lives
      child.kill("SIGKILL");
      await once(child, "exit");
      assert.equal(await store.getItem("chat:lease"), null);
      assert.equal(await store.compareAndSet("chat:lease", null, "mine", { ttlMs: 60_000 }), true);
      assert.equal(await store.getItem("chat:lease"), "mine");
      await store.close();
    });

    test("can be created by many processes at once", async () => {
      for (let round = 0; round < 3; round++) {
        const stores = Array.from({ length: 6 }, () => sqliteStore(join(folder, `many-${round}.db`)));
        await Promise.all(stores.map((store, i) => store.replace(`a${i}`, null, snapshotAt(1), 1)));
        assert.equal((await stores[0].list()).length, 6);
        for (const store of stores) await store.close();
      }
    });
  });
}
