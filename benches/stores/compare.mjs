// The same conversation stored by other libraries: bytes written to disk, and ms per message.

import { random, shuffled } from "../tokens/generate.mjs";
import { median } from "../tokens/measure.mjs";
import { BYTES, message } from "./sessions.mjs";
import { PEERS } from "./peers.mjs";
import { STORES, temporary } from "./stores.mjs";
import { byPostgres, byThisProcess } from "./written.mjs";

const LONG = 32_000;
/** A peer that has needed more than this in all is not measured further. */
const PATIENCE_MS = 60_000;

export async function compare({ only, quick, table, figure }) {
  const messages = quick ? 300 : 1_000;
  const order = random(3);
  const rows = new Map();
  const running = [];
  const server = only && !only.includes("postgres") ? null : STORES.postgres.missing ? { why: STORES.postgres.missing } : await STORES.postgres.open();
  for (const [at, peer] of PEERS.entries()) {
    const { name, lies, cannot } = peer;
    if (only && lies && !only.includes(lies)) continue;
    if (cannot) {
      rows.set(at, [name, await cannot().catch(whyNot)]);
      continue;
    }
    if (lies === "postgres" && server.why) {
      rows.set(at, [name, server.why]);
      continue;
    }
    try {
      running.push({ at, name, lies, ...(await peer.open(server?.url, temporary("peer"))), written: [], times: [], spent: 0 });
    } catch (error) {
      rows.set(at, [name, whyNot(error)]);
    }
  }

  const said = Array.from({ length: messages }, message);
  const written = async (lies) => (lies === "postgres" ? byPostgres(server.ask) : byThisProcess());
  for (let n = 0; n < messages; n += 2)
    for (const one of shuffled(running, order)) {
      if (one.failed || one.spent > PATIENCE_MS) continue;
      const before = await written(one.lies);
      const start = performance.now();
      try {
        await one.turn([said[n], said[n + 1]]);
      } catch (error) {
        one.failed = error;
        continue;
      }
      const ms = performance.now() - start;
      one.spent += ms;
      one.times.push(ms / 2);
      one.written.push((await written(one.lies)) - before);
    }

  for (const { at, name, failed, times, written, end } of running) {
    await end().catch(() => {});
    if (failed) {
      rows.set(at, [name, whyNot(failed)]);
      continue;
    }
    const kept = 2 * times.length;
    const history = kept * BYTES;
    const all = sum(written);
    const last = Math.floor(times.length * 0.9);
    const { long, grows } = extrapolated(written);
    const isCounted = Number.isFinite(all);
    rows.set(at, [kept < messages ? `${name} (its first ${figure(kept)})` : name, figure(median(times.slice(0, 50))), figure(median(times.slice(last))), isCounted ? figure(all) : "–", isCounted ? (all / history).toFixed(1) : "–", isCounted ? `${figure(long / 1e6)} MB` : "–", isCounted ? (long / (LONG * BYTES)).toFixed(1) : "–", grows]);
  }
  await server?.stop?.();
  console.log(`### ${figure(messages)} messages of 1,000 bytes, kept as they come: ms a message at the beginning and at the end (p50), bytes written (SQLite: by the process; PostgreSQL: its WAL), and at ${figure(LONG)} messages as they grow\n`);
  const head = ["", "ms, first 100", "ms, last 10th", "bytes", "× history", `at ${figure(LONG)}`, "× history", "grows"];
  table(head, [...rows].sort(([a], [b]) => a - b).map(([, cells]) => [...cells, ...Array(head.length - cells.length).fill("–")]));
}

const sum = (list) => list.reduce((total, n) => total + n, 0);
const whyNot = (error) => `not measured: ${String(error.message ?? error).split("\n")[0]}`;

/** The bytes for `LONG` messages, from a line through what each turn wrote: a session's bytes grow with its length or with its square. */
function extrapolated(written) {
  const n = written.length;
  const xs = written.map((_, i) => i + 0.5);
  const [mx, my] = [sum(xs) / n, sum(written) / n];
  const slope = sum(xs.map((x, i) => (x - mx) * (written[i] - my))) / sum(xs.map((x) => (x - mx) ** 2));
  const isSteep = slope * n > my / 2; // the last turns wrote much more than the first ones
  const turns = LONG / 2;
  return { long: isSteep ? (my - slope * mx) * turns + (slope * turns * turns) / 2 : my * turns, grows: isSteep ? "with its square" : "with its length" };
}
