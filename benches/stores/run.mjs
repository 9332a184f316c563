// `npm run bench:stores`: what it costs to keep a session in a store, compared with other libraries in the same run.
//
//   npm run bench:stores                       everything but the fleet: a few minutes
//   npm run bench:stores -- --quick            smaller: a minute
//   npm run bench:stores -- --only redis       only these stores, such as `--only redis,files`
//   npm run bench:stores -- --part saves       only these parts: bytes, saves, peers
//   npm run bench:stores -- --fleet            8 processes, 500 sessions, 20,000 saves, one process killed every second; each store
//
// The peers are devDependencies of benches/stores/package.json and are fetched when missing.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { install } from "../../scripts/lib/installed.mjs";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, fleet: { type: "boolean" }, only: { type: "string" }, part: { type: "string" } } });
const here = fileURLToPath(new URL(".", import.meta.url));
if (!existsSync(join(here, "node_modules")))
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: here, stdio: "inherit" });
install("tests/stores/clients");

const { ABOUT, STORES } = await import("./stores.mjs");
const only = values.only?.split(",");
const wants = (part) => !values.part || values.part.split(",").includes(part);
for (const name of only ?? []) if (!STORES[name]) throw new Error(`no store is called ${name}; there are: ${Object.keys(STORES).join(", ")}`);

console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0].model.trim()}${values.quick ? ", quick" : ""}\n`);
const asked = [];
if (values.fleet) await (await import("./fleet.mjs")).run({ only, quick: values.quick, table });
else {
  const ours = await import("./ours.mjs");
  if (wants("bytes") && !only) await bytes(ours);
  if (wants("saves")) await saves(ours);
  if (wants("peers")) await (await import("./compare.mjs")).compare({ only, quick: values.quick, table, figure });
  console.log("### What was asked\n");
  table(["", "asked", "measured", ""], asked);
}
process.exit();

/** Adds a required figure, and whether it is met. */
function ask(what, limit, measured, unit, more = "") {
  asked.push([what, `≤ ${figure(limit)}${unit}${more}`, `${figure(measured)}${unit}`, measured <= limit ? "✓" : "✗"]);
}

async function bytes({ bytesPerSave, wholeSession }) {
  const sizes = values.quick ? [100, 10_000] : [100, 10_000, 100_000];
  const rows = await bytesPerSave(sizes);
  console.log("### Bytes that a save of one new message of 1,000 bytes writes, frame included, by the messages that are there\n");
  table(["messages", "median", "× at 100", "most of 32", "snapshots anew meanwhile", "segments over a Map, mean"], rows.map(({ size, typical, most, again, segments }) => [figure(size), figure(typical), (typical / rows[0].typical).toFixed(2), figure(most), figure(again), figure(segments)]));
  const last = rows.at(-1);
  ask(`bytes of a save at ${figure(last.size)} messages`, 2_000 + 21, last.most, "");
  ask(`… times that at 100 messages`, 1.05, last.typical / rows[0].typical, "");

  const { messages, history, records, snapshots, count, ms } = await wholeSession(values.quick ? 4_000 : 32_000);
  console.log(`### A session of ${figure(messages)} messages of 1,000 bytes, saved after each: bytes written\n`);
  table(["", "bytes", "× history"], [["history", figure(history), "1.00"], ["records", figure(records), (records / history).toFixed(2)], [`${count} snapshots`, figure(snapshots), (snapshots / history).toFixed(2)], ["all", figure(records + snapshots), ((records + snapshots) / history).toFixed(2)]]);
  console.log(`${figure(ms / messages)} ms a save in memory, over all of them.\n`);
  ask(`all bytes over ${figure(messages)} messages`, 2.5, (records + snapshots) / history, " × history");
}

async function saves({ saves, loads }) {
  const sizes = [100, 10_000];
  const names = Object.keys(STORES).filter((name) => !only || only.includes(name));
  const opened = [];
  const rows = [];
  for (const name of names) {
    const why = STORES[name].missing;
    if (why) rows.push([name, why]);
    else opened.push(await STORES[name].open().then((store) => ({ name, ...store }), (error) => (rows.push([name, error.message]), null)));
  }
  const there = opened.filter(Boolean);
  const p50 = await saves(there, sizes, values.quick ? 20 : 100);
  const read = await loads(there, sizes[1], values.quick ? 3 : 15);
  for (const { name } of there) {
    const [small, large] = sizes.map((size) => p50.get(name)[size]);
    const { load, refresh, trip } = read.get(name);
    rows.push([`${name}, ${ABOUT[name]}`, figure(small), figure(large), (large / small).toFixed(2), figure(load), figure(refresh), figure(trip)]);
    if (!STORES[name].asked) continue;
    ask(`${name}: a save at 10,000 messages, times one at 100`, 1.5, large / small, "");
    ask(`${name}: load of 10,000 messages`, 100, load, " ms");
    ask(`${name}: refresh of 10 saves`, 5, Math.max(0, refresh - trip), " ms", " and a round trip");
  }
  console.log("### ms, p50: a save of one new message of 1,000 bytes; a load of 10,000 messages; a refresh of 10 saves; a read of nothing new\n");
  table(["", "save at 100", "at 10,000", "×", "load of 10,000", "refresh of 10", "round trip"], rows.map((cells) => [...cells, ...Array(7 - cells.length).fill("–")]));
  for (const { store, stop } of there) {
    await store.close?.();
    await stop?.();
  }
}

function figure(n) {
  if (n === null || n === undefined) return "–";
  return n < 10 && !Number.isInteger(n) ? n.toFixed(2) : n < 100 && !Number.isInteger(n) ? n.toFixed(1) : Math.round(n).toLocaleString("en");
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  console.log([line(head), line(head.map((_, i) => (i === 0 ? "---" : "--:"))), ...rows.map(line)].join("\n") + "\n");
}
