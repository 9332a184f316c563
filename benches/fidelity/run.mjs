// `npm run bench:fidelity`: does the agent go on as it would have with the whole conversation? README.md says what the
// figures mean. Models and runner are fetched when missing; `npm test` fetches none of them.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
if (!existsSync(join(here, "node_modules")))
  execFileSync("npm", ["install", "--omit=optional", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: here, stdio: "inherit" });

const { values: o } = parseArgs({
  options: {
    points: { type: "string", default: "40" },
    shares: { type: "string", default: "0.3,0.1" },
    models: { type: "string", default: "smollm2" },
    policies: { type: "string" },
    long: { type: "string", default: "0" },
    budgets: { type: "string", default: "3600,5400" },
    package: { type: "string", multiple: true },
    half: { type: "string", default: "both" },
    groups: { type: "string", default: "dialogues,coding" },
    seed: { type: "string", default: "1" },
    json: { type: "string" },
  },
});
const list = (text) => text.split(",").filter(Boolean);
const seed = Number(o.seed);
const shares = list(o.shares).map(Number);
const say = (text) => console.log(`${text}\n`);
const note = (text) => process.stderr.write(`${text}\n`);

const { contextfold, load, peers, simple } = await import("./policies.mjs");
const { counter } = await import("./count.mjs");
const { LONG, candidates, choose, longCandidates } = await import("./points.mjs");
const { half, recordings } = await import("./recordings.mjs");

// `--package PATH`, or `NAME=PATH` to compare several in one run.
const packages = await Promise.all((o.package ?? [root]).map(async (spec, i, all) => {
  const [, name, path] = /^(?:([\w.-]+)=)?(.+)$/.exec(spec);
  return { name: name ?? (all.length > 1 ? `p${i + 1}` : ""), path, built: await load(path) };
}));
const [{ built }] = packages;
const count = counter((text) => built.encoding.count(text));
const wanted = o.policies && new Set(list(o.policies));
const offered = [...simple(count), ...(!wanted || wanted.has("peers") ? peers(await keptByPeers(), count) : []), ...packages.flatMap(({ name, built }) => contextfold(built, name, count))];
const policies = offered.filter((p) => !wanted || wanted.has(p.name) || wanted.has(p.kind));
const names = policies.map((p) => p.name);

const everything = recordings(built.convert);
const all = everything.filter(({ name }) => o.half === "both" || half(name) === o.half);
const results = { seed, half: o.half, shares, node: process.version, version: built.version?.(), packages: packages.map(({ name, path }) => ({ name, path })) };
const pools = all.map((r) => candidates(r, count));
const each = Math.ceil(Number(o.points) / 2);
const points = list(o.groups).flatMap((group) => choose(pools.map((pool) => pool.filter((p) => p.group === group)), each, seed));

say(`# Fidelity\n\nSeed ${seed}, ${o.half === "both" ? "both halves" : `the ${o.half} half`} of ${all.length} recordings, ${points.length} points before those without a gap are left out, Node ${process.version}. ${packages.map(({ name, path, built }) => `${name || "contextfold"}: ${built.version?.() ?? ""} (${path})`).join("; ")}`);

const { rules, rulesTable } = await import("./rules.mjs");
for (const { name, built } of packages) {
  results.rules = { ...results.rules, [name || "contextfold"]: await rules(built, all) };
  say(`## The user's rules${name ? `, ${name}` : ""}\n\n${rulesTable(results.rules[name || "contextfold"])}`);
}

const { gapTable, lossTable, losses, lossesOf, views } = await import("./gap.mjs");
const { MODELS } = await import("./models.mjs");
const { scorer } = await import("./score.mjs");
const made = await views(points, shares, policies, count);
const budgets = list(o.budgets).map(Number);
const isOfHalf = (p) => o.half === "both" || half(`${p.name} ${p.at}`) === o.half;
const longs = Number(o.long) && choose(everything.map((r) => longCandidates(r, count, LONG).filter(isOfHalf)), Number(o.long), seed);
const madeOfLong = longs ? await views(longs, budgets, policies, count) : [];
const errors = new Map();
for (const v of [...made, ...madeOfLong]) if (v.error) errors.set(`${v.policy}: ${v.error.slice(0, 140)}`, (errors.get(`${v.policy}: ${v.error.slice(0, 140)}`) ?? 0) + 1);
results.gap = {};
for (const name of list(o.models)) {
  const model = await scorer(name);
  const started = Date.now();
  let done = 0;
  const { useful, results: scored } = await losses(points, made, model, (what) => ++done % 10 === 0 && note(`${name}: ${done}, ${Math.round((Date.now() - started) / 1000)} s, ${what}`));
  say(`## Gap closed, ${MODELS[name].title}\n\n${useful.length} points with a gap; 95 % intervals by bootstrap over points; + and −: the loss is significantly lower or higher than that of "newest", by pairs.\n\n${gapTable(scored, shares, names, seed)}`);
  results.gap[name] = scored.map(({ point, view, ...r }) => ({ recording: point.name, at: point.at, group: point.group, messages: view?.length, ...r }));
  if (longs.length) {
    const scored = await lossesOf(madeOfLong, model, (what) => ++done % 10 === 0 && note(`${name}: ${done}, ${what}`));
    say(`## Long sessions, ${MODELS[name].title}\n\n${longs.length} points with at least ${LONG.least.toLocaleString("en")} tokens before them (${o.half === "both" ? "of both halves" : `the ${o.half} half of the points`}); mean loss of the next message.\n\n${lossTable(scored, budgets, names, seed)}`);
    results.long = { ...results.long, [name]: scored.map(({ point, view, ...r }) => ({ recording: point.name, at: point.at, messages: view?.length, ...r })) };
  }
  await model.end();
}
if (errors.size) say(`Views that threw:\n${[...errors].map(([what, n]) => `- ${n} × ${what}`).join("\n")}`);

if (o.json) {
  mkdirSync(dirname(o.json), { recursive: true });
  writeFileSync(o.json, JSON.stringify(results, null, 1));
}
process.exit();

/** The peers of the session bench; they are fetched when missing. */
async function keptByPeers() {
  const session = join(root, "benches/session");
  if (!existsSync(join(session, "node_modules"))) execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: session, stdio: "inherit" });
  return (await import("../session/kept.mjs")).kept;
}
