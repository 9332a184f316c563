import { budgetOf, candidates, choose } from "./points.mjs";
import { half, recordings } from "./recordings.mjs"; import { counter } from "./count.mjs"; import { load, contextfold, simple } from "./policies.mjs";
const built = await load(process.env.PKG ?? "../..");
const count = counter((t) => built.encoding.count(t));
const all = recordings(built.convert).filter(({ name }) => half(name) === "tuning");
const pools = all.map((r) => candidates(r, count));
const group = process.argv[2], share = +process.argv[3], n = +process.argv[4];
const points = choose(pools.map((p) => p.filter((x) => x.group === group)), 16, 1);
const pol = [...simple(count), ...contextfold(built, "")];
const names = (process.argv[5] ?? "even-cut,contextfold-fill").split(",");
const show = (v) => v.map((m) => `[${m.role}${m.tool_calls ? " calls " + m.tool_calls.map((c) => c.function.name + c.function.arguments).join("; ") : ""}] ${m.content}`).join("\n");
if (!n && n !== 0) {
  for (const [i, p] of points.entries()) { const b = budgetOf(p, share, count); const row = [i, p.name.slice(-40), p.full.length, count.list(p.full), "none", count.list(p.none), "budget", b];
    for (const name of names) { const v = await pol.find((x) => x.name === name).view(p.full, b); row.push(name, v.length, count.list(v)); } console.log(row.join(" ")); }
} else { const p = points[n]; const b = budgetOf(p, share, count); for (const name of names) { const v = await pol.find((x) => x.name === name).view(p.full, b); console.log(`===== ${name} ${count.list(v)} of ${b}\n` + show(v)); } console.log("===== next\n" + show([p.next])); }
process.exit();
