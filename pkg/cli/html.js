// The report of a simulation as one HTML file: no scripts, no requests, light and dark. The proxy's page uses the same styles.

import { number, percent, plain, plural } from "./paint.js";
import { partName } from "./report.js";

// In stacking order; the light and the dark colour.
const PARTS = {
  system: ["#7567d6", "#9286ee"],
  tools: ["#a897e8", "#b9abf3"],
  retain: ["#8d6e53", "#c09c7c"],
  summary: ["#2b8f47", "#3fae60"],
  ledger: ["#86960a", "#c8e85a"],
  user: ["#2876d4", "#59a0f2"],
  assistant: ["#0f9485", "#35bfae"],
  reasoning: ["#c04f93", "#e27bb8"],
  tool_calls: ["#d79a00", "#ecb93b"],
  tool_outputs: ["#dd6236", "#f08258"],
};
const OTHER = ["#8a9297", "#8d979c"];
const WIDE = 1000;
const HIGH = 220;
/** Maximum number of bars. If there are more calls, each bar shows the largest of several calls. */
const BARS = 500;

/** `simulation`: the result of `simulate`; `source`: a description of the input. */
export function htmlReport({ name, source, simulation }) {
  const { runs, recorded, prices } = simulation;
  const scale = Math.max(1, ...runs.flatMap((run) => [run.tokens_largest, Math.min(run.window, run.tokens_largest * 1.4)]));
  const names = partNames(simulation);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${text(name)} · contextfold simulate</title>
<style>${CSS}${names.map((part) => `.p-${className(part)}{fill:light-dark(${colours(part)});background:light-dark(${colours(part)})}`).join("")}</style>
<main>
<header>
<h1>${text(name)}</h1>
<p>${text(source)}</p>
</header>
<section>
<h2>Side by side</h2>
${comparison(simulation)}
<p class="note">Sent: input tokens of all calls. Asked: input tokens of the requests for summaries. Cached: the share that stood unchanged at a
call’s beginning; the rest is written to the cache. What a decision costs the cache once, and is expected to save, is in tokens of input. Facts: paths, URLs, ids and error codes that stand in the view (by ref: or in an output that a ref in it opens), rules:
the user’s constraints, word for word; a mean over the calls from the first fold on, without one of the last call.
${text(priceNote(prices))}</p>
</section>
<section>
<h2>As it was recorded</h2>
<p class="note">Every call with all that was said before it.</p>
<ul class="legend">${names.map((part) => `<li><i class="p-${className(part)}"></i>${text(partName(part))}</li>`).join("")}</ul>
${chart({ calls: recorded.calls, limit: null, asked: [] }, Math.max(1, recorded.tokens_largest), names)}
</section>
${runs.map((run) => section(run, scale, names)).join("\n")}
<footer>Made by <code>contextfold simulate --html</code>. No model was asked: summaries are those of the built-in summariser.</footer>
</main>
</html>
`;
}

function partNames({ runs, recorded }) {
  const there = new Set([recorded, ...runs].flatMap((run) => run.calls.flatMap((call) => call.parts.map((part) => part.name))));
  const known = Object.keys(PARTS);
  return [...known.filter((name) => there.has(name)), ...[...there].filter((name) => !known.includes(name))];
}

const colours = (part) => (PARTS[part] ?? OTHER).join(",");
const className = (part) => part.replace(/\W+/g, "-");

// ---- the table

function comparison({ runs, recorded, prices }) {
  const most = Math.max(1, recorded.tokens_total, ...runs.map((run) => run.tokens_total));
  const dearest = Math.max(recorded.cost ?? 0, ...runs.map((run) => run.cost ?? 0));
  const best = Math.min(...runs.filter((run) => run.calls_over_limit === 0).map((run) => run.cost ?? run.tokens_total));
  const money = prices !== null;
  const head = ["preset", "sent", "largest", "folds", "asked", "cached", "facts", "by ref", "rules", "page faults", ...(money ? ["cost"] : [])];
  const row = (cells, mark = "") => `<tr${mark}>${cells.map((cell, at) => (at ? `<td>${cell}</td>` : `<th scope="row">${cell}</th>`)).join("")}</tr>`;
  const sent = (tokens) => bar(number(tokens), tokens / most);
  const cost = (value) => bar(dollars(value), dearest ? value / dearest : 0);
  const rows = runs.map((run) => {
    const isBest = runs.length > 1 && (run.cost ?? run.tokens_total) === best;
    const over = run.calls_over_limit ? ` <em>${text(plural(run.calls_over_limit, "call"))} over the limit</em>` : "";
    return row(
      [
        text(run.preset) + over,
        sent(run.tokens_total),
        ...figuresOf(run),
        ...(money ? [cost(run.cost)] : []),
      ],
      isBest ? ' class="best"' : "",
    );
  });
  const asRecorded = row(["as recorded", sent(recorded.tokens_total), ...figuresOf(recorded), ...(money ? [cost(recorded.cost)] : [])], ' class="recorded"');
  return `<div class="scroll"><table><thead><tr>${head.map((cell) => `<th scope="col">${cell}</th>`).join("")}</tr></thead><tbody>${rows.join("")}${asRecorded}</tbody></table></div>`;
}

/** A run's columns between its name and its cost: the largest call, folds, tokens asked, cached, the facts that were kept, and page faults. */
export function figuresOf(run) {
  const { compactions } = run;
  const kept = run.retention_mean ?? run.retention;
  const shares = kept ? [kept.literal, kept.with_refs, kept.constraints].map(percent) : ["–", "–", "–"];
  const folds = compactions ? [compactions.count, compactions.request_tokens].map(number) : ["–", "–"];
  const faults = run.page_faults ? `${number(run.page_faults.gone)} of ${number(run.page_faults.needed)}` : "–";
  return [number(run.tokens_largest), ...folds, percent(run.cache_hit_ratio), ...shares, faults];
}

/** Describes what the prompt cache lost in a run, and because of which passes. */
export function cacheNote({ cache_breaks: breaks, cache_write_tokens: written }) {
  const each = breaks.map(({ pass, calls, tokens }) => `${pass ?? "no pass"} before ${plural(calls, "call")} (${number(tokens)} tokens lost)`);
  return `${number(written)} tokens were written to the cache; it was broken by ${each.join(", ")}.`;
}

const bar = (label, share) => `<span class="bar" style="--share:${(100 * share).toFixed(1)}%">${label}</span>`;

export const dollars = (value) => (value === null || value === undefined ? "–" : `$${value < 0.095 ? value.toFixed(4) : value < 100 ? value.toFixed(2) : number(value)}`);

/** Describes the prices used. */
export function priceNote(prices) {
  if (!prices) return "";
  const { input_cost_per_token: input, cache_read_input_token_cost: cached, cache_creation_input_token_cost: written, output_cost_per_token: output } = prices.rates;
  const rate = (value) => `$${+(value * 1e6).toFixed(4)}`;
  const rates = [
    `${rate(input)} in`,
    ...(cached === undefined ? [] : [`${rate(cached)} from the cache`]),
    ...(written === undefined ? [] : [`${rate(written)} into it`]),
    `${rate(output)} out`,
  ];
  const whose = prices.as_of ? `list price of ${prices.as_of}, by ${prices.source}` : "by your own table";
  return `Cost: ${prices.model ?? "this price"}, per million tokens ${rates.join(", ")} (${whose}).`;
}

// ---- a run

function section(run, scale, names) {
  const { compactions: asked } = run;
  const facts = [
    `${plural(run.calls.length, "call")}`,
    `window ${number(run.window)}`,
    ...(run.limit === run.window ? [] : [`limit ${number(run.limit)}`]),
    `${plural(asked.count, "fold")}${asked.requests > asked.count ? ` in ${number(asked.requests)} requests` : ""}`,
    ...(run.cost === null ? [] : [`${dollars(run.cost)}${asked.cost ? `, of it ${dollars(asked.cost)} for summaries` : ""}`]),
  ];
  return `<section>
<h2>${text(run.preset)}</h2>
<p class="note">${text(facts.join(" · "))}</p>
${run.cache_breaks.length > 0 ? `<p class="note">${text(cacheNote(run))}</p>\n` : ""}${chart({ calls: run.calls, limit: run.limit, threshold: run.threshold, asked: asked.asked }, scale, names)}
<details><summary>Call by call</summary>${callTable(run)}</details>
</section>`;
}

function chart({ calls, limit, threshold, asked }, scale, names) {
  const size = Math.max(1, Math.ceil(calls.length / BARS));
  const bars = Array.from({ length: Math.ceil(calls.length / size) }, (_, i) =>
    calls.slice(i * size, (i + 1) * size).reduce((largest, call) => (call.tokens > largest.tokens ? call : largest)),
  );
  const step = WIDE / Math.max(1, bars.length);
  const thick = Math.max(0.6, step - (step > 4 ? 1 : 0));
  const y = (tokens) => HIGH - (tokens / scale) * HIGH;
  const paths = new Map(names.map((name) => [name, ""]));
  for (const [i, call] of bars.entries()) {
    let top = 0;
    for (const name of names) {
      const tokens = call.parts.find((part) => part.name === name)?.tokens ?? 0;
      if (!tokens) continue;
      const low = y(top);
      top += tokens;
      paths.set(name, `${paths.get(name)}M${fine(i * step)} ${fine(low)}h${fine(thick)}v${fine(y(top) - low)}h${fine(-thick)}z`);
    }
  }
  const areas = [...paths].filter(([, d]) => d).map(([name, d]) => `<path class="p-${className(name)}" d="${d}"><title>${text(partName(name))}</title></path>`);
  const line = (tokens, kind) =>
    tokens != null && tokens <= scale * 1.001 ? `<line class="${kind}" x1="0" x2="${WIDE}" y1="${fine(y(tokens))}" y2="${fine(y(tokens))}"><title>${kind} ${number(tokens)}</title></line>` : "";
  const folds = [...new Set(asked.map((request) => request.call))].map((call) => {
    const x = fine(Math.floor(call / size) * step);
    return `<path class="fold" d="M${x} 0v${HIGH}"><title>a fold before call ${number(call + 1)}</title></path>`;
  });
  const largest = Math.max(0, ...calls.map((call) => call.tokens));
  const label = `Tokens of ${plural(calls.length, "call")}, stacked by part; the largest has ${number(largest)}${limit == null ? "" : `, the limit is ${number(limit)}`}.`;
  return `<figure><svg viewBox="0 -2 ${WIDE} ${HIGH + 4}" preserveAspectRatio="none" role="img" aria-label="${text(label)}">${areas.join("")}${folds.join("")}${line(limit, "limit")}${line(threshold, "threshold")}</svg><figcaption><span>${number(scale)} tokens high</span><span>${text(plural(calls.length, "call"))}</span></figcaption></figure>`;
}

const fine = (n) => String(+n.toFixed(1));

/** A decision's cost for the prompt cache, and its expected saving. */
const bill = ({ cache }) => (cache ? ` (costs ${number(cache.cost)}, saves ${number(cache.saves)})` : "");

function callTable(run) {
  const rows = run.calls.map((call, index) => {
    const decided = call.decisions.map((each) => `${each.pass}: ${plural(each.items.length, "message")}, ${number(each.tokens_before)} → ${number(each.tokens_after)}${bill(each)}`);
    if (call.cache_lost_tokens > 0) decided.push(`${number(call.cache_lost_tokens)} tokens lost from the cache${call.cache_broken_by ? ` to ${call.cache_broken_by}` : ""}`);
    const said = call.error ? [...decided, `${call.error.code}: ${call.error.message}`] : decided;
    return `<tr><td>${number(index + 1)}</td><td>${number(call.tokens)}</td><td>${number(call.cached_tokens)}</td><td>${number(call.cache_write_tokens)}</td><td>${dollars(call.cost)}</td><td>${text(said.join("; "))}</td></tr>`;
  });
  return `<div class="scroll"><table class="calls"><thead><tr><th scope="col">call</th><th scope="col">sent</th><th scope="col">cached</th><th scope="col">written</th><th scope="col">cost</th><th scope="col">decided</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

const text = (value) => plain(value).replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

const CSS = `:root{color-scheme:light dark;--ground:light-dark(#f6f6f3,#121517);--surface:light-dark(#fff,#1a1f22);--line:light-dark(#dcdcd5,#2e3539);--ink:light-dark(#1b2124,#e7ebec);--quiet:light-dark(#5b656b,#9daab0);--accent:light-dark(#0b7268,#4fc4b5);--soft:light-dark(#d9eeea,#173632);--bad:light-dark(#ad2f22,#ff9384)}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1120px;margin:0 auto;padding:28px 20px 48px;display:grid;gap:18px;grid-template-columns:minmax(0,1fr)}h1,h2,p{margin:0}h1{font-size:22px;letter-spacing:-.01em;overflow-wrap:anywhere}h2{font-size:16px}
header p,.note,footer,figcaption{color:var(--quiet);font-size:13px}section{padding:16px;border:1px solid var(--line);border-radius:12px;background:var(--surface)}
.scroll{overflow:auto}table{width:100%;margin:10px 0;border-collapse:collapse;font-size:13.5px}th,td{padding:4px 10px;border-top:1px solid var(--line);text-align:right;white-space:nowrap}th:first-child,td:first-child{padding-left:0;text-align:left}thead th{border:0;color:var(--quiet);font-size:12px;font-weight:500}tbody th{font-weight:600}
tbody th em{color:var(--bad);font-style:normal;font-weight:400}.recorded{color:var(--quiet)}.recorded th{font-weight:400}.best th{color:var(--accent)}
.bar{display:inline-block;min-width:110px;padding:0 6px;border-radius:3px;background:linear-gradient(90deg,var(--soft) var(--share),transparent 0)}
.calls td:last-child{width:60%;text-align:left;white-space:normal}figure{margin:10px 0 4px}svg{display:block;width:100%;height:220px;border-radius:6px;background:var(--ground)}figcaption{display:flex;justify-content:space-between;font-size:12px}
.limit,.threshold{stroke:var(--ink);stroke-width:1.5;vector-effect:non-scaling-stroke}.threshold{stroke:var(--quiet);stroke-dasharray:5 4}.fold{stroke:var(--accent);stroke-width:1.5;stroke-dasharray:2 3;fill:none;vector-effect:non-scaling-stroke}
summary{cursor:pointer;color:var(--accent);font-size:13px}.legend{display:flex;flex-wrap:wrap;gap:4px 16px;margin:8px 0 0;padding:0;list-style:none;font-size:13px}.legend i{display:inline-block;width:11px;height:11px;margin-right:6px;border-radius:3px;vertical-align:-1px}`;

export { CSS, text as escaped };
