// Many processes that save the same sessions and are killed again and again: nothing acknowledged is lost, nothing is duplicated,
// and each session is the same to the byte in every process.
//
//   const figures = await fleet({ kind: "files", place: folder, processes: 8, sessions: 500, saves: 20_000, killEveryMs: 1000 });

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeOf } from "../../../scripts/lib/installed.mjs";
import { random } from "../../../benches/tokens/generate.mjs";
import { keysOf } from "./messages.mjs";

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
/** How many processes load all sessions at the end. */
const READERS = 2;

/** Runs a fleet to its end and checks the result. Returns its figures. */
export async function fleet(settings) {
  const folder = mkdtempSync(join(tmpdir(), "contextfold-fleet-"));
  try {
    return await fleetIn(folder, settings);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fleetIn(folder, { kind, place, processes, sessions, saves, killEveryMs, seed = 1, withinMs = 600_000 }) {
  const [logs, outs] = ["logs", "seen"].map((name) => join(folder, name));
  for (const each of [logs, outs]) mkdirSync(each);
  const execPath = kind !== "sqlite" || process.getBuiltinModule?.("node:sqlite") ? process.execPath : nodeOf(22);
  const run = (file, settings) => fork(pathOf(file), [JSON.stringify({ kind, place, ...settings })], { execPath, execArgv: ["--no-warnings"] });
  const started = performance.now();
  const next = random(seed);
  const living = new Set();
  const working = new Map(); // since when
  let kills = 0;
  let ends = null; // why no more processes are started

  /** A slot in the fleet, which one process after another takes until its part is done. */
  async function slotDone(slot) {
    const part = Math.floor(saves / processes) + (slot < saves % processes ? 1 : 0);
    for (let generation = 0; ; generation++) {
      const saved = acknowledged(logs, `p${slot}-`).length;
      const name = `p${slot}-${generation}`;
      const out = join(outs, name);
      const child = run("worker.mjs", { processes, sessions, slot, name, out, part: part - saved, log: join(logs, name), seed: seed * 1_000_003 + slot * 1009 + generation });
      const gone = once(child, "exit");
      living.add(child);
      const done = new Promise((resolve) => child.on("message", (word) => (word === "up" ? working.set(child, performance.now()) : resolve(word))));
      const ended = await Promise.race([done, gone]);
      working.delete(child);
      if (ended === "done") return { child, gone, out };
      living.delete(child);
      const [code, signal] = ended;
      if (ends) throw new Error(ends);
      assert.equal(signal, "SIGKILL", `the process ${name} ended by itself, with ${code}`);
    }
  }

  const killing = setInterval(() => {
    // On a busy machine, too, each process gets enough time to make progress.
    const old = [...working.keys()].filter((child) => performance.now() - working.get(child) > killEveryMs);
    const child = old[Math.floor(next() * old.length)];
    if (child?.kill("SIGKILL")) kills += 1; // this very process
  }, killEveryMs);
  const endAll = (why) => {
    ends ??= why;
    for (const child of living) child.kill("SIGKILL");
  };
  const late = setTimeout(() => endAll(`the fleet has not done its part within ${withinMs / 1000} s`), withinMs);
  let slots;
  try {
    slots = await Promise.all(Array.from({ length: processes }, (_, slot) => slotDone(slot)));
  } catch (error) {
    endAll(error.message);
    throw error;
  } finally {
    clearInterval(killing);
    clearTimeout(late);
  }
  const seconds = (performance.now() - started) / 1000;

  const looks = slots.map(({ child, gone, out }) => {
    child.send("look");
    return { gone, out };
  });
  const refreshed = await Promise.all(looks.map(written));
  const readers = await Promise.all(Array.from({ length: READERS }, (_, n) => {
    const out = join(outs, `reader-${n}`);
    return written({ gone: once(run("reader.mjs", { out }), "exit"), out });
  }));

  const log = acknowledged(logs);
  const checked = check({ log, readers, refreshed, keys: keysOf({ sessions, processes }), saves, kills });
  const times = log.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share) => times[Math.floor((times.length - 1) * share)];
  return {
    kind, processes, sessions, acknowledged: log.length, kills, seconds,
    perSecond: log.length / seconds,
    shared: log.filter(({ key }) => key.includes("shared")).length,
    conflicts: log.reduce((sum, { conflicts }) => sum + conflicts, 0),
    p50: at(0.5), p99: at(0.99),
    ...checked,
  };
}

/** What a process wrote down at its end. */
async function written({ gone, out }) {
  const [code] = await gone;
  assert.equal(code, 0, `${out} was not written`);
  return JSON.parse(readFileSync(out, "utf8"));
}

/** What was acknowledged according to the logs; the last line of a killed process may be incomplete. */
function acknowledged(folder, begins = "") {
  return readdirSync(folder).filter((name) => name.startsWith(begins)).flatMap((process) => {
    const lines = readFileSync(join(folder, process), "utf8").split("\n").slice(0, -1);
    return lines.map((line) => {
      const [n, key, conflicts, ms] = line.split(" ");
      return { process, n: Number(n), key, conflicts: Number(conflicts), ms: Number(ms) };
    });
  });
}

/** Fails if something was lost or duplicated, or differs between processes. */
export function check({ log, readers, refreshed, keys, saves, kills }) {
  assert.equal(log.length, saves);
  const [seen, ...others] = readers;
  const lastOf = new Map();
  for (const { process, n } of log) lastOf.set(process, Math.max(n, lastOf.get(process) ?? 0));

  const standing = new Map();
  let unacknowledged = 0;
  const isLogged = new Set(log.map(({ process, n }) => `${process} ${n}`));
  for (const [key, { said, notices }] of Object.entries(seen)) {
    assert.deepEqual(notices, [], `${key} is read with a notice`);
    const newest = new Map();
    for (const one of said) {
      assert.ok(one, `a message of ${key} is not what was said`);
      const id = `${one.process} ${one.n}`;
      assert.ok(!standing.has(id), `${id} stands twice: under ${standing.get(id)} and ${key}`);
      standing.set(id, key);
      assert.ok(one.n > (newest.get(one.process) ?? 0), `${id} stands before an earlier one under ${key}`);
      newest.set(one.process, one.n);
      if (isLogged.has(id)) continue;
      // A process that was killed before it could log an acknowledgement: its very last save.
      unacknowledged += 1;
      assert.equal(one.n, (lastOf.get(one.process) ?? 0) + 1, `${id} is neither acknowledged nor the last one of its process`);
    }
  }
  assert.ok(unacknowledged <= kills);
  for (const { process, n, key } of log) assert.equal(standing.get(`${process} ${n}`), key, `${process} ${n} was acknowledged under ${key} and is lost`);

  const written = new Set(standing.values());
  for (const key of Object.keys(seen)) assert.ok(written.has(key) && [...keys.own, ...keys.shared].includes(key), `${key} is listed`);
  for (const other of others) assert.deepEqual(digests(other), digests(seen), "two processes that load it see the same");
  let compared = 0;
  for (const digests of refreshed)
    for (const [key, { bytes, views }] of Object.entries(digests)) {
      assert.equal(views, seen[key].views, `${key} looks otherwise where it was refreshed`);
      assert.equal(bytes, seen[key].bytes, `${key} has other bytes where it was refreshed`);
      compared += 1;
    }
  return { lost: 0, twice: 0, unacknowledged, written: written.size, refreshedAndCompared: compared, longest: Math.max(...Object.values(seen).map(({ said }) => said.length)) };
}

const digests = (seen) => Object.fromEntries(Object.entries(seen).map(([key, { bytes, views }]) => [key, { bytes, views }]));
