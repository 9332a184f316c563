// Tests of stores whose writers are killed, or are many: with real processes.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { newKey, positionsOf, record, snapshotAt } from "./contract.mjs";

const WRITER = fileURLToPath(new URL("./writer.mjs", import.meta.url));
const SOON_MS = 3000;

/** `kind` and `path` are the writer's arguments; `open` returns a fresh view of the same data. */
export function killed(kind, path, open, { rounds = 20 } = {}) {
  for (const replaces of ["appends", "replaces"])
    test(`${kind}: a process that is killed while it ${replaces} loses nothing that was acknowledged`, { timeout: 120_000 }, async () => {
      const key = await started(open);
      for (let round = 0; round < rounds; round++) {
        const writers = [writer(kind, path, key, replaces), writer(kind, path, key, replaces)];
        await Promise.all(writers.map(({ first }) => first));
        await sleep(Math.random() * 40);
        const saved = await Promise.all(writers.map(({ end }) => end()));
        const before = performance.now();
        const store = await open();
        const there = await store.read(key);
        const most = Math.max(...saved.flatMap(({ positions }) => positions));
        assert.ok(there.position >= most, `${most} was acknowledged, and the journal stands at ${there.position}`);
        if (replaces === "appends") {
          const writtenBy = writersOf(wholePartOf(there));
          for (const { pid, positions } of saved) for (const position of positions) assert.equal(writtenBy.get(position), String(pid), `position ${position}`);
        }
        await store.append(key, there.position, [record(there.position + 1)]);
        assert.ok(performance.now() - before < SOON_MS, "the next one could write soon");
        const after = await store.read(key);
        const positions = positionsOf(after.records);
        assert.deepEqual(positions, positions.map((_, i) => after.snapshotPosition + 1 + i));
        assert.equal(after.position, there.position + 1);
        await store.close?.();
      }
    });

  test(`${kind}: four processes at once`, { timeout: 60_000 }, async () => {
    const key = await started(open);
    const writers = Array.from({ length: 4 }, () => writer(kind, path, key, "appends", 25));
    await Promise.all(writers.map(({ done }) => done));
    const saved = await Promise.all(writers.map(({ end }) => end()));
    const store = await open();
    const writtenBy = writersOf((await store.read(key)).records);
    assert.equal(writtenBy.size, saved.reduce((sum, { positions }) => sum + positions.length, 0));
    for (const { pid, positions } of saved) {
      assert.ok(positions.length >= 25);
      for (const position of positions) assert.equal(writtenBy.get(position), String(pid));
    }
    await store.close?.();
  });
}

async function started(open) {
  const [key, store] = [newKey(), await open()];
  await store.replace(key, null, snapshotAt(100), 100);
  await store.close?.();
  return key;
}

function writer(kind, path, key, ...more) {
  const child = spawn(process.execPath, ["--no-warnings", WRITER, kind, path, key, ...more.map(String)], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  const done = once(child, "close");
  return {
    first: Promise.race([once(child.stdout, "data"), done]),
    done,
    async end() {
      child.kill("SIGKILL"); // this very process
      await done;
      assert.ok(child.signalCode === "SIGKILL" || child.exitCode === 0, `the writer ended by itself, with ${child.exitCode}`);
      return { pid: child.pid, positions: text.split("\n").slice(0, -1).map(Number) };
    },
  };
}

/** The bytes that were read, without a dead writer's incomplete last record. */
function wholePartOf({ records, position }) {
  const writtenBy = writersOf(records, position);
  return records.subarray(0, writtenBy.end);
}

/** By position, the process that wrote the record. */
function writersOf(records, last = Infinity) {
  const view = new DataView(records.buffer, records.byteOffset);
  const found = new Map();
  let at = 0;
  while (at < records.length && (found.size === 0 || [...found.keys()].at(-1) < last)) {
    const length = view.getUint32(at, true);
    found.set(Number(view.getBigUint64(at + 5, true)), Buffer.from(records.subarray(at + 13, at + 13 + 20)).toString().split(" ")[0]);
    at += 21 + length;
  }
  return Object.assign(found, { end: at });
}
