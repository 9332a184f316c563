// The journal store in files: the contract, and the state left by a process that was killed or stopped.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Session } from "../../pkg/node.js";
import { locked } from "../../pkg/stores/claims.js";
import { keyOf, nameOf } from "../../pkg/stores/file-names.js";
import { fileStore } from "../../pkg/stores/files.js";
import { contract, newKey, positionsOf, record, recordsBehind, snapshotAt } from "./contract.mjs";
import { killed } from "./killed.mjs";

const folder = mkdtempSync(join(tmpdir(), "contextfold-files-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const open = async () => fileStore(join(folder, "sessions"));
const fileOf = (key) => join(folder, "sessions/journals", nameOf(key));

contract("files", open);
contract("files, not synced", async () => fileStore(join(folder, "fast"), { fsync: false }));
killed("files", join(folder, "sessions"), open);

describe("a torn tail", () => {
  /** A journal of three records; the last begins at `last`. */
  async function started() {
    const [key, store] = [newKey("torn"), await open()];
    await store.replace(key, null, snapshotAt(100), 100);
    await store.append(key, 100, recordsBehind(100, 3, 40));
    const content = readFileSync(fileOf(key));
    return { key, store, content, last: content.length - 61 };
  }

  /** Reads and continues, as a process that knew the journal and as one that did not. */
  async function isCutOff({ key, store, content: before, last }, content, torn) {
    for (const view of [store, await open()]) {
      writeFileSync(fileOf(key), before.subarray(0, last));
      if (view === store) assert.equal((await view.read(key)).position, 102);
      writeFileSync(fileOf(key), content);
      for (const from of [0, 101]) {
        const there = await view.read(key, from);
        assert.equal(there.position, 102);
        const whole = there.records.subarray(0, there.records.length - torn);
        assert.deepEqual(positionsOf(whole), from === 0 ? [101, 102] : [102]);
      }
      await assert.rejects(view.append(key, 103, [record(104)]), { code: "STORE_CONFLICT" });
      await view.append(key, 102, [record(103, 10)]);
      for (const again of [store, await open()]) assert.deepEqual(positionsOf((await again.read(key)).records), [101, 102, 103]);
    }
  }

  test("cut at any byte", async () => {
    const journal = await started();
    for (let end = journal.last + 1; end < journal.content.length; end++) await isCutOff(journal, journal.content.subarray(0, end), end - journal.last);
  });

  test("zeros from any byte on", async () => {
    const journal = await started();
    const { content, last } = journal;
    for (let from = last; from < content.length; from++) {
      const zeroed = Buffer.from(content).fill(0, from);
      if (zeroed.equals(content)) continue;
      await isCutOff(journal, zeroed, content.length - last);
    }
    await isCutOff(journal, Buffer.concat([content.subarray(0, last), Buffer.alloc(5000)]), 5000);
  });

  test("with any bit of it flipped", async () => {
    const journal = await started();
    const { content, last } = journal;
    for (let at = last; at < content.length; at++) {
      const wrong = Buffer.from(content);
      wrong[at] ^= 1 << (at % 8);
      await isCutOff(journal, wrong, content.length - last);
    }
  });

  test("damage before whole records is not a torn tail: nothing is cut off", async () => {
    const { key, content, last } = await started();
    for (let at = last - 61; at < last; at++) {
      const wrong = Buffer.from(content);
      wrong[at] ^= 1 << (at % 8);
      writeFileSync(fileOf(key), wrong);
      const store = await open();
      const there = await store.read(key);
      assert.equal(there.position, 103);
      assert.deepEqual(Buffer.from(there.records), wrong.subarray(-183));
      await store.append(key, 103, [record(104)]);
      assert.deepEqual(readFileSync(fileOf(key)).subarray(0, wrong.length), wrong);
    }
  });

  test("a record that another process is just writing is awaited, not treated as torn", async () => {
    const { key, content } = await started();
    const next = record(104);
    writeFileSync(fileOf(key), Buffer.concat([content, next.subarray(0, 9)]));
    const lock = join(folder, "sessions/locks", `journals-${nameOf(key)}`);
    let reading;
    await locked(lock, async () => {
      reading = (await open()).read(key);
      await sleep(100);
      appendFileSync(fileOf(key), next.subarray(9));
    });
    assert.equal((await reading).position, 104);
  });

  test("a torn tail is read where no lock can be made", async () => {
    const own = join(folder, "read-only");
    const { key, content } = await started();
    mkdirSync(join(own, "journals"), { recursive: true });
    writeFileSync(join(own, "locks"), ""); // a file, so that no folder can be made there, not even by root
    writeFileSync(join(own, "journals", nameOf(key)), Buffer.concat([content, record(104).subarray(0, 9)]));
    const there = await fileStore(own).read(key);
    assert.deepEqual([there.position, positionsOf(there.records.subarray(0, -9))], [103, [101, 102, 103]]);
    await assert.rejects(fileStore(own).append(key, 103, [record(104)]), { syscall: "mkdir" });
  });

  test("a file damaged at its beginning is reported, and can be removed", async () => {
    const { key, store, content } = await started();
    for (const broken of [content.subarray(0, 20), Buffer.alloc(content.length), content.subarray(0, content.length - 3 * 61 - 1), Buffer.from(content).fill(1, 30, 31)]) {
      writeFileSync(fileOf(key), broken);
      for (const call of [store.read(key), store.append(key, 103, [record(104)]), store.replace(key, 103, snapshotAt(103), 103)]) await assert.rejects(call, /is damaged at its beginning/);
      assert.deepEqual(readFileSync(fileOf(key)), broken);
    }
    await store.remove(key);
    assert.equal(await store.read(key), null);
  });
});

describe("what is read from disk", () => {
  const read = () => Number(/^rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))[1]);
  const options = { skip: existsSync("/proc/self/io") ? false : "this system does not tell how much a process read" };

  test("appending and reading new records do not read the older ones", options, async () => {
    const [key, store, other] = [newKey("long"), await open(), await open()];
    await store.replace(key, null, new Uint8Array(3_000_000), 5);
    for (let position = 5; position < 2005; position += 100) await store.append(key, position, recordsBehind(position, 100, 1200));
    assert.equal((await other.read(key)).position, 2005);
    const before = read();
    await store.append(key, 2005, [record(2006, 1200)]);
    assert.equal((await store.read(key, 2005)).position, 2006);
    assert.equal((await other.read(key, 2005)).records.length, record(2006, 1200).length);
    await other.append(key, 2006, [record(2007, 1200)]);
    await store.append(key, 2007, [record(2008, 1200)]);
    assert.ok(read() - before < 30_000, `${read() - before} bytes were read`);
    const fresh = await open();
    const start = read();
    await fresh.read(key, 2000);
    assert.ok(read() - start < 2_700_000, "without the snapshot");
    const again = read();
    await fresh.append(key, 2008, recordsBehind(2008, 2));
    assert.equal((await store.read(key, 2008)).position, 2010);
    assert.equal((await store.read(key, 2006)).records.length, 2 * record(2007, 1200).length + 2 * record(2009).length);
    assert.ok(read() - again < 30_000, `${read() - again} bytes were read`);
  });
});

describe("names", () => {
  const odd = ["a", "A", "con", "CON", "nul.txt", "..", ".", "/", "../../up", "\u00e9", "e\u0301", "😀", "%41", "a b", "a.", "x".repeat(200), "X".repeat(200), `${"X".repeat(199)}y`, "日本".repeat(33), "~", "a~b"];

  test("names are distinct even if the file system ignores case and accents, and fit its limits", () => {
    const names = odd.map(nameOf);
    assert.equal(new Set(names.map((name) => name.normalize("NFC").toLowerCase())).size, odd.length);
    for (const [i, name] of names.entries()) {
      assert.match(name, /^[a-z0-9%_~-]{1,200}$/);
      assert.doesNotMatch(name, /^(con|prn|aux|nul|com\d|lpt\d)$/);
      if (!/~/.test(name)) assert.equal(keyOf(name), odd[i]);
    }
    assert.equal(nameOf("chat-17"), "chat-17");
    assert.equal(nameOf("user/42:main"), "user%2f42%3amain");
  });

  test("names stay within the folder", async () => {
    const base = join(folder, "inside/sessions");
    const store = fileStore(base);
    for (const key of odd) {
      await store.replace(key, null, snapshotAt(1), 1);
      await store.setItem(key, "x");
    }
    assert.deepEqual(readdirSync(join(base, "..")), ["sessions"]);
    assert.deepEqual(readdirSync(base).sort(), ["items", "journals", "locks"]);
    assert.deepEqual((await store.list()).sort(), [...odd].sort());
    assert.deepEqual((await store.getKeys()).sort(), [...odd].sort());
    for (const key of odd) {
      await store.remove(key);
      await store.removeItem(key);
    }
    for (const name of ["items", "journals", "locks"]) assert.deepEqual(readdirSync(join(base, name)), []);
  });

  test("foreign files in the folder are not keys", async () => {
    const base = join(folder, "foreign");
    const store = fileStore(base);
    await store.replace("a", null, snapshotAt(1), 1);
    await store.setItem("a", "x");
    for (const name of [".DS_Store", "%zz", "A", "x~y", "notes.txt"]) for (const kind of ["journals", "items"]) writeFileSync(join(base, kind, name), "something");
    mkdirSync(join(base, "journals/folder.d"));
    assert.deepEqual(await store.list(), ["a"]);
    assert.deepEqual(await store.getKeys(), ["a"]);
  });

  test("an item that was lost to a power failure does not exist", async () => {
    const base = join(folder, "items-lost");
    const store = fileStore(base, { fsync: false });
    for (const left of [Buffer.alloc(0), Buffer.alloc(100)]) {
      await store.setItem("lease", "somebody's");
      writeFileSync(join(base, "items/lease"), left);
      assert.equal(await store.getItem("lease"), null);
      assert.equal(await store.compareAndSet("lease", null, "mine"), true);
    }
  });
});

describe("leases", () => {
  test("a process that was killed while it wrote a summary does not make the next one wait", async () => {
    const base = join(folder, "lease-killed");
    const child = spawn(process.execPath, ["--input-type=module", "-e", `
      import { Session } from ${JSON.stringify(new URL("../../pkg/node.js", import.meta.url).href)};
      import { fileStore } from ${JSON.stringify(new URL("../../pkg/stores/files.js", import.meta.url).href)};
      const session = new Session({ contextWindow: 4_000, summarize: () => { console.log("asked"); return new Promise(() => setInterval(() => {}, 1000)); } });
      for (let n = 0; n < 40; n++) session.push([{ role: "user", content: "And " + n + "?" }, { role: "assistant", content: "It is so. ".repeat(60) }]);
      await session.save(fileStore(process.argv[1]), "chat");
      await session.prepare();`, base], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    const store = fileStore(base);
    const lease = await store.getItem("chat:lease");
    assert.match(lease, /^lease-/);
    assert.deepEqual(await store.getKeys(), ["chat:lease"]);
    assert.equal(await store.compareAndSet("chat:lease", null, "mine", { ttlMs: 60_000 }), false); // it lives
    child.kill("SIGKILL");
    await once(child, "exit");
    assert.equal(await store.getItem("chat:lease"), null);
    const before = performance.now();
    const session = await Session.load(store, "chat", { summarize: async () => "<summary>All is so.</summary>" });
    const { report } = await session.prepare();
    assert.doesNotMatch(report.summary.fallback ?? "", /another process/);
    assert.equal(session.folds().at(-1).summary, "All is so.");
    assert.ok(performance.now() - before < 5000);
  });

  test("keys that end like a holder are listed, also if they are too long for a file name", async () => {
    const store = fileStore(join(folder, "like-a-holder"));
    const keys = ["a", "a".repeat(200)].flatMap((key) => [key, `${key}?0123456789ab-1-2`, `${key}?x?0123456789ab-1-2`]);
    for (const options of [undefined, { ttlMs: 60_000 }]) {
      for (const key of keys) await store.compareAndSet(key, await store.getItem(key), key, options);
      assert.deepEqual((await store.getKeys()).sort(), [...keys].sort());
      for (const key of keys) assert.equal(await store.getItem(key), key);
    }
  });

  test("an item stored without a lifetime stays when its process has ended", async () => {
    const base = join(folder, "lease-kept");
    const child = spawn(process.execPath, ["--input-type=module", "-e", `
      import { fileStore } from ${JSON.stringify(new URL("../../pkg/stores/files.js", import.meta.url).href)};
      await fileStore(process.argv[1]).compareAndSet("a", null, "stays");`, base], { stdio: "inherit" });
    await once(child, "exit");
    assert.equal(await fileStore(base).getItem("a"), "stays");
  });
});

describe("locks", () => {
  test("a lock left by a dead process does not block, and is cleared away", async () => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", `
      import { locked } from ${JSON.stringify(new URL("../../pkg/stores/claims.js", import.meta.url).href)};
      import { writeFileSync } from "node:fs";
      await locked(process.argv[1], async (claim) => { writeFileSync(claim.path + "/next", "x".repeat(1000)); console.log("held"); await new Promise(() => setInterval(() => {}, 1000)); });`,
      join(folder, "locks/killed")], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    child.kill("SIGKILL"); // this very process
    await once(child, "exit");
    const before = performance.now();
    await locked(join(folder, "locks/killed"), async ({ name }) => assert.deepEqual(readdirSync(join(folder, "locks/killed")), [name]));
    assert.ok(performance.now() - before < 1000);
  });

  test("a lock left by another machine is awaited for a few seconds", async () => {
    const lock = join(folder, "locks/elsewhere");
    mkdirSync(join(lock, "00000000000000000000-0123456789ab-1-1"), { recursive: true });
    const before = performance.now();
    let passedBy = 0;
    await locked(lock, async () => {}, async () => void passedBy++);
    assert.ok(performance.now() - before > 4000 && performance.now() - before < 10_000);
    assert.equal(passedBy, 1);
  });

  test("a process that was stopped and resumes later does not write into a journal that others continued", async () => {
    const [key, store] = [newKey("stopped"), await open()];
    await store.replace(key, null, snapshotAt(100), 100);
    await store.append(key, 100, recordsBehind(100, 3, 40));
    const child = spawn(process.execPath, ["--input-type=module", "-e", `
      import { locked } from ${JSON.stringify(new URL("../../pkg/stores/claims.js", import.meta.url).href)};
      import { openSync, writeSync, fstatSync, writeFileSync, renameSync } from "node:fs";
      const [lock, path] = process.argv.slice(1);
      await locked(lock, async (claim) => {
        const file = openSync(path, "r+");
        writeFileSync(claim.path + "/next", "replaced");
        console.log("held");
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 9000); // stopped: no heartbeat
        writeSync(file, "late", fstatSync(file).size);
        let renamed = true;
        try { renameSync(claim.path + "/next", path); } catch { renamed = false; }
        console.log(JSON.stringify({ held: await claim.isHeld(), renamed }));
      });`,
      join(folder, "sessions/locks", `journals-${nameOf(key)}`), fileOf(key)], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk) => (text += chunk));
    await once(child.stdout, "data");
    const ended = once(child, "close");
    await store.append(key, 103, [record(104, 40)]);
    assert.equal(text, "held\n", "it is passed by while it stands still");
    await ended;
    assert.deepEqual(JSON.parse(text.split("\n")[1]), { held: false, renamed: false });
    const there = await (await open()).read(key);
    assert.deepEqual(positionsOf(there.records), [101, 102, 103, 104]);
    await store.append(key, 104, [record(105)]);
    assert.deepEqual(positionsOf((await store.read(key)).records), [101, 102, 103, 104, 105]);
  });

  test("a lock can be got while another process removes its folder", async () => {
    const lock = join(folder, "locks/removed");
    const code = 'const { mkdirSync, rmdirSync } = require("node:fs"); for (;;) try { mkdirSync(process.argv[1], { recursive: true }); rmdirSync(process.argv[1]); } catch {}';
    const other = spawn(process.execPath, ["-e", code, lock]);
    try {
      for (let i = 0; i < 200; i++) await locked(lock, async () => {});
    } finally {
      other.kill("SIGKILL");
    }
  });

  test("a lock never has two holders", async () => {
    const lock = join(folder, "locks/many");
    // Copies of the module know nothing of each other, like separate processes.
    const copies = await Promise.all([1, 2, 3, 4, 5].map((copy) => import(`../../pkg/stores/claims.js?${copy}`)));
    let inside = 0;
    let done = 0;
    await Promise.all(
      [...copies, ...copies].map(async ({ locked }) => {
        for (let i = 0; i < 20; i++) {
          await locked(lock, async () => {
            assert.equal(++inside, 1);
            await sleep(Math.random() * 2);
            inside -= 1;
            done += 1;
          });
          await sleep(Math.random() * 2);
        }
      }),
    );
    assert.equal(done, 200);
    assert.ok(!existsSync(lock));
  });
});
