// `npm run bench:session`: what a session costs, compared with the functions that the peers offer for the same, on the same
// histories in one process, in another order each round. Medians, ratios, and how the cost grows with the history (log-log slope).
//
// The peers are devDependencies of benches/session/package.json and are fetched when missing.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { coreOf } from "../../scripts/lib/core.mjs";
import { random, shuffled } from "../tokens/generate.mjs";
import { median, now } from "../tokens/measure.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
if (!existsSync(join(here, "node_modules")))
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: here, stdio: "inherit" });

const { agent } = await import("./histories.mjs");
const { peers } = await import("./peers.mjs");
const { cutting, session } = await import("./ours.mjs");
const { countTokens, loadEncoding } = await import("contextfold");

const only = new Set(process.argv.slice(2).filter((a) => !a.startsWith("--")));
const option = (name) => process.argv.find((a) => a.startsWith(`--${name}=`))?.slice(name.length + 3);
const wants = (section) => only.size === 0 || only.has(section);
const SIZES = [100, 1_000, 10_000, 100_000];
/** The calls with nothing to cut are measured in this many blocks. */
const BLOCKS = 3;
/** Another order each round, so that it is not always the same library that follows a peer which leaves cold caches and garbage. */
const order = random(5);
/** A library that needed more than this many ms for a call is not called again with larger histories. */
const PATIENCE = 4_000;

console.log(`Node ${process.version}${process.env.CPU ? ", processor time" : ""}\n`);
const tokenizer = await loadEncoding("o200k_base");
if (wants("idle")) await idle();
if (wants("turns")) await turns();
if (wants("cut")) await cut();
if (wants("bill")) await (await import("./bill.mjs")).bills(table, { only: option("only"), ours: process.argv.includes("--ours") });
if (wants("boundary")) inFreshProcess("boundary.mjs");
if (wants("memory")) inFreshProcess("memory.mjs");
if (wants("ready")) ready();
if (wants("size")) size();

/** Two more messages, and what has to be done before the next model call: nothing is cut. */
async function idle() {
  const ours = session("contextfold");
  const all = [ours, session("contextfold, o200k_base", { tokenizer }), session("contextfold, its view read", {}, (_, s) => s.view("messages").length), ...peers];
  const times = new Map(all.map(({ name }) => [name, []]));
  for (const size of SIZES) {
    const history = agent(size);
    const rounds = size > 10_000 ? 15 : size > 1_000 ? 30 : 102;
    const more = agent(4 * rounds, 7);
    const running = [];
    for (const library of all) {
      const known = times.get(library.name);
      const last = known.at(-1);
      if (known.length && (last === null || last * 20 > PATIENCE)) known.push(null);
      else running.push({ name: library.name, more: library.convert(more), at: library.begin(library.convert(history)), times: [] });
    }
    // Several calls of one library in a row. Otherwise each would be measured after another library's walk over its whole history, which
    // empties the processor's caches, the more the longer the history is.
    for (let block = 0; block < BLOCKS; block++)
      for (const { more, at, times } of shuffled(running, order))
        for (let round = block; round < rounds; round += BLOCKS) {
          const two = [more[4 * round], more[4 * round + 3]];
          const start = now();
          at.push(two);
          await at.run();
          times.push(now() - start);
        }
    for (const { name, times: measured, at } of running) {
      times.get(name).push(median(measured.slice(rounds > 50 ? 20 : 1)));
      at.end?.();
    }
  }
  const flat = times.get("contextfold");
  console.log("### Two messages more and nothing to cut: ms a call, by the messages that are there; its slope; times contextfold's at 1,000 and at 10,000\n");
  table(["", ...SIZES.map((n) => n.toLocaleString("en")), "slope", "× at 1,000", "× at 10,000"], [...times].map(([name, list]) => [
    name, ...list.map((ms) => figure(ms)), slope(list), ...[1, 2].map((i) => (list[i] === null ? "–" : (list[i] / flat[i]).toFixed(1))),
  ]));
}

/** A session from its first message on: 1,000 times two more messages, and what has to be done before the model call. */
async function turns() {
  const history = agent(2_000);
  const all = [session("contextfold"), session("contextfold, o200k_base", { tokenizer }), session("contextfold, its view read", {}, (_, s) => s.view("messages").length), ...peers];
  const converted = all.map((library) => library.convert(history));
  const totals = all.map(() => []);
  for (let round = 0; round < 6; round++)
    for (const i of shuffled(all.keys(), order)) {
      if (totals[i].at(-1) > PATIENCE / 2) continue;
      const at = all[i].begin([]);
      const start = now();
      for (let n = 0; n < 2_000; n += 2) {
        at.push([converted[i][n], converted[i][n + 1]]);
        await at.run();
      }
      totals[i].push(now() - start);
      at.end?.();
      await setImmediate(); // in a real agent there is time between two sessions to collect garbage
    }
  const medians = totals.map((list) => median(list.length > 2 ? list.slice(1) : list));
  const counting = median([1, 2, 3].map(() => {
    const start = now();
    for (const { content } of history) tokenizer.count(content);
    return now() - start;
  }));
  console.log(`### A session of 1,000 turns, 2 messages of 0.8 kB each, nothing to cut: ms in all (counting its texts by o200k_base alone: ${counting.toFixed(1)})\n`);
  table(["", "ms", "contextfold's share of it"], all.map(({ name }, i) => [name, figure(medians[i]), (medians[0] / medians[i]).toFixed(2)]));
}

/** Cuts 10,000 messages to half of their tokens, and makes the input items again. */
async function cut() {
  const all = [
    cutting("contextfold, and its input items"),
    cutting("… without a ledger of facts", { compaction: { ledgerTokens: 0 } }),
    ...peers.filter(({ cuts }) => cuts !== false),
  ];
  console.log("### Cut to half of the tokens: ms, by the messages that are there, and the slope\n");
  const times = all.map(() => []);
  const pushes = [];
  for (const size of SIZES.slice(0, 3)) {
    const history = agent(size);
    const taken = [];
    const half = Math.round(countTokens(history) / 2);
    const converted = all.map((library) => library.convert(history));
    const measured = all.map(() => []);
    for (let round = 0; round < 5; round++)
      for (const i of shuffled(all.keys(), order)) {
        if (times[i].at(-1) === null || times[i].at(-1) * 60 > 5 * PATIENCE || measured[i].at(-1) > PATIENCE) continue;
        const at = all[i].begin(converted[i]);
        const before = now();
        at.ready?.(half);
        const start = now();
        if (i === 0) taken.push(start - before);
        await at.cut(half);
        measured[i].push(now() - start);
        at.end?.();
        await setImmediate();
      }
    for (const [i, list] of measured.entries()) times[i].push(list.length ? median(list.length > 2 ? list.slice(1) : list) : null);
    pushes.push(median(taken));
  }
  table(["", ...SIZES.slice(0, 3).map((n) => n.toLocaleString("en")), "slope", "keeps a budget"], all.map(({ name, budget }, i) => [name, ...times[i].map(figure), slope(times[i]), budget ? "yes" : "no"]));
  console.log(`Pushing all of it before, facts drawn: ${pushes.map(figure).join(", ")} ms.\n`);
}

/** The time until the import is done and until the first session exists, in fresh processes of this Node and of the versions in the tests. */
function ready() {
  const nodes = [process.execPath, ...[20, 22, 24].map((major) => join(root, `tests/package/runtimes/node_modules/node-${major}/bin/node`)).filter(existsSync)];
  const rows = nodes.flatMap((node) => [["module", 'await import("contextfold")'], ["commonjs", 'require("contextfold")']].map(([type, load]) => {
    const script = `const start = performance.now(); const { Session } = ${load}; const loaded = performance.now(); new Session(); console.log(loaded - start, performance.now() - start);`;
    const times = Array.from({ length: 21 }, () => execFileSync(node, [`--input-type=${type}`, "-e", script], { cwd: here, encoding: "utf8" }).split(" ").map(Number));
    return [`Node ${execFileSync(node, ["--version"], { encoding: "utf8" }).trim()}, ${load}`, ...[0, 1].map((i) => median(times.map((both) => both[i])).toFixed(1))];
  }));
  console.log("### From before the import to its end, and to the first session, fresh processes: ms\n");
  table(["", "imported", "first session"], rows);
}

function size() {
  const module = readFileSync(join(root, "pkg/wasm/contextfold_bg.wasm"));
  const rows = [["contextfold_bg.wasm", "all of it", module], ["", "what Node reads on import", coreOf(module)]].map(([name, what, bytes]) => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    return [name, what, bytes.length, brotliCompressSync(bytes, { params }).length];
  });
  console.log("### The module\n");
  table(["", "", "bytes", "brotli"], rows);
}

function inFreshProcess(file) {
  console.log(execFileSync(process.execPath, ["--expose-gc", join(here, file)], { encoding: "utf8" }));
}

/** The slope of log time over log size, from 1,000 messages on if there are enough sizes, otherwise over all. */
function slope(times) {
  const points = times.map((ms, i) => [Math.log(SIZES[i]), ms]).filter(([, ms]) => ms !== null).map(([x, ms]) => [x, Math.log(ms)]);
  const used = points.length > 2 ? points.slice(1) : points;
  if (used.length < 2) return "–";
  const mean = (i) => used.reduce((n, p) => n + p[i], 0) / used.length;
  const [x, y] = [mean(0), mean(1)];
  return (used.reduce((n, p) => n + (p[0] - x) * (p[1] - y), 0) / used.reduce((n, p) => n + (p[0] - x) ** 2, 0)).toFixed(2);
}

function figure(ms) {
  return ms === null ? "–" : ms < 10 ? ms.toFixed(3) : ms < 100 ? ms.toFixed(1) : Math.round(ms).toLocaleString("en");
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  console.log([line(head), line(head.map((_, i) => (i === 0 ? "---" : "--:"))), ...rows.map(line)].join("\n") + "\n");
}
