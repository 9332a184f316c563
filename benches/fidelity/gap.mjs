// Gap closed: where the loss of the recorded message in a policy's view lies between the losses in the full view and in the empty one.

import { closed, interval, mean, sign } from "./bootstrap.mjs";
import { budgetOf } from "./points.mjs";
import { percent, range, table } from "./table.mjs";

/** Points with a smaller gap are left out: nothing that came before helps to predict the message. */
export const GAP = 0.05;

/** The views of all policies at all points and shares: { point, share, policy, budget, tokens, view | error }. */
export async function views(points, shares, policies, count) {
  const out = [];
  for (const point of points)
    for (const share of shares) {
      const budget = budgetOf(point, share, count);
      for (const { name, view } of policies) {
        const at = { point, share, policy: name, budget };
        try {
          const messages = await view(point.full, budget);
          const tokens = count.list(messages);
          out.push({ ...at, tokens, view: messages, over: tokens > budget });
        } catch (error) {
          out.push({ ...at, error: `${error.code ?? error.name}: ${error.message}` });
        }
      }
    }
  return out;
}

/** Losses of the views alone, if no model can read the full view. */
export async function lossesOf(made, scorer, progress = () => {}) {
  const out = [];
  for (const v of made) {
    out.push({ ...v, loss: v.view ? await scorer.loss(v.view, v.point.next) : null });
    progress(`${v.policy} in ${v.budget} of ${v.point.name} ${v.point.at}`);
  }
  return out;
}

/** Mean losses, and how much better they are than the baseline's on the same points, by budget. */
export function lossTable(results, budgets, policies, seed, baseline = "newest") {
  const of = (policy, budget) => new Map(results.filter((r) => r.policy === policy && r.budget === budget && r.loss !== null).map((r) => [r.point, r]));
  const rows = policies.map((policy) => [policy, ...budgets.flatMap((budget) => {
    const [mine, base] = [of(policy, budget), of(baseline, budget)];
    const there = [...mine.keys()].filter((point) => base.has(point));
    if (!there.length) return ["–", "–", "–", "–"];
    const better = there.map((point) => base.get(point).loss - mine.get(point).loss);
    const sizes = [...mine.values()];
    return [mean(there.map((point) => mine.get(point).loss)).toFixed(3), policy === baseline ? "–" : range(interval(better, mean, seed)), `${Math.round(mean(sizes.map((r) => r.tokens)))}${sizes.some((r) => r.tokens > budget) ? " (over)" : ""}`, String(there.length)];
  })]);
  return table(["", ...budgets.flatMap((budget) => [`loss in ${budget}`, "better than newest by", "tokens", "points"])], rows);
}

/** Losses of the full and the empty view first; then of the views at the points that have a gap. */
export async function losses(points, made, scorer, progress = () => {}) {
  const ends = new Map();
  for (const point of [...points].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.from - b.from || a.at - b.at))) {
    const full = await scorer.loss(point.full, point.next);
    ends.set(point, { full, none: await scorer.loss(point.none, point.next) });
    progress(`full and none of ${point.name} ${point.at}`);
  }
  const useful = points.filter((p) => ends.get(p).full !== null && ends.get(p).none - ends.get(p).full > GAP);
  const out = [];
  for (const point of useful)
    for (const v of made.filter((v) => v.point === point)) {
      const loss = v.view ? await scorer.loss(v.view, point.next) : null;
      out.push({ ...v, ...ends.get(point), loss });
      progress(`${v.policy} at ${v.share} of ${point.name} ${point.at}`);
    }
  return { useful, results: out };
}

/** The table of one model: a row for each policy, a column for each group and share. */
export function gapTable(results, shares, policies, seed, baseline = "newest") {
  const groups = [...new Set(results.map((r) => r.point.group))].sort().reverse();
  const cells = groups.flatMap((group) => shares.map((share) => ({ group, share })));
  const of = (policy, { group, share }) => results.filter((r) => r.policy === policy && r.share === share && r.point.group === group);
  const rows = policies.map((policy) => {
    const figures = cells.map((cell) => {
      const mine = of(policy, cell);
      const there = mine.filter((r) => r.loss !== null);
      if (!there.length) return "–";
      const base = new Map(of(baseline, cell).map((r) => [r.point, r.loss]));
      const paired = there.filter((r) => (base.get(r.point) ?? null) !== null);
      const lost = mine.length - there.length;
      const mark = policy === baseline || !paired.length ? "" : sign(paired.map((r) => r.loss), paired.map((r) => base.get(r.point)), seed);
      return `${range(interval(there, closed, seed))}${mark}${lost ? ` (${lost} lost)` : ""}`;
    });
    const all = results.filter((r) => r.policy === policy && r.view);
    const used = all.reduce((sum, r) => sum + r.tokens / r.budget, 0) / all.length;
    const problems = [["threw", results.filter((r) => r.policy === policy && r.error).length], ["over", all.filter((r) => r.over).length]];
    return [policy, ...figures, percent(used), problems.filter(([, n]) => n).map(([what, n]) => `${n} ${what}`).join(", ")];
  });
  const points = cells.map((cell) => new Set(results.filter((r) => r.share === cell.share && r.point.group === cell.group).map((r) => r.point)).size);
  return table(["", ...cells.map((c, i) => `${c.group} ${c.share}, ${points[i]} points`), "of budget", ""], rows);
}
