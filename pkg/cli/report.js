// Lays out the report of a run as text: the input, the decisions, what is left, and where it was written.

import {
  beforeAfter,
  fit,
  fitEnd,
  grouped,
  left,
  number,
  painter,
  percent,
  plain,
  plural,
  right,
  width,
  wrap,
} from "./paint.js";

const LABEL = 11; // columns of the labels at the left
const SUMMARY_LINES = 8;

/**
 * Lays out a report.
 *
 * @param {import("../index.d.ts").Report} report the report of `session.prepare()`, or of its error
 * @param {object} [options] all optional:
 *   `title`, `source` (a description of the input), `before` (the report of the untrimmed transcript),
 *   `folds` (of `session.folds()`), `written` (lines: where the output went), `failure` (`{ code, message }`),
 *   `width` in columns (80), `color` (false).
 * @returns {string} lines, each with a newline at its end
 */
export function renderReport(report, options = {}) {
  const columns = options.width ?? 80;
  const paint = painter(options.color ?? false);
  const view = { report, columns, paint, before: options.before ?? null, folds: options.folds ?? [] };
  const sections = [
    head(view, options),
    tokenBars(view),
    decisions(view),
    parts(view),
    changes(view),
    summary(view),
    closing(view, options),
  ];
  return `${sections
    .filter((lines) => lines.length)
    .map((lines) => lines.map((line) => line.trimEnd()).join("\n"))
    .join("\n\n")}\n`;
}

const row = (view, label, text) => `  ${view.paint.dim(left(label, LABEL))}${text}`;
/** A row's text with as many of the additions as fit on the line. */
function withMore(view, text, ...additions) {
  const next = text + additions[0];
  return additions.length && LABEL + 2 + width(next) <= view.columns
    ? withMore(view, next, ...additions.slice(1))
    : text;
}
const heading = (view, text, note = "") => `  ${view.paint.bold(text)}${note && `  ${view.paint.dim(note)}`}`;
const startOf = ({ report, before }) => before?.tokens_after ?? report.tokens_before;

function head(view, { title, source }) {
  const { report, before, paint, columns } = view;
  const lines = [];
  if (title) lines.push(`  ${paint.bold(fitEnd(plain(title), columns - 2))}`, "");
  if (source) lines.push(row(view, "Came in", fit(plain(source), columns - LABEL - 2)));
  const messages = before?.messages_after ?? report.messages_before;
  lines.push(
    row(
      view,
      source ? "" : "Came in",
      withMore(
        view,
        `${plural(messages, "message")}, ${plural(startOf(view), "token")}`,
        ` ${paint.dim(`(${counter(report)})`)}`,
      ),
    ),
  );
  lines.push(row(view, "Window", windowLine(report, paint)));
  return lines;
}

export function counter(report) {
  const { method, exact, calibration } = report.counter;
  return `${method}${exact ? ", exact" : ", not exact"}${calibration === 1 ? "" : `, calibrated ×${calibration.toFixed(2)}`}`;
}

/** Limit and threshold converted from the model's tokens to ours, because all other figures of the report are in our count. */
function limitsInOurTokens({ limit, threshold, counter: { calibration } }) {
  const counted = (tokens) => (tokens == null ? tokens : Math.floor(tokens / calibration));
  return { limit: counted(limit), threshold: counted(threshold) };
}

function windowLine(report, paint) {
  if (report.window == null && report.limit == null) return "unknown: nothing is enforced";
  const facts = [`${number(report.window ?? report.limit)} tokens`];
  if (report.limit != null && report.window != null && report.limit !== report.window)
    facts.push(`limit ${number(report.limit)}`);
  if (report.threshold != null)
    facts.push(`threshold ${number(report.threshold)} ${paint.dim(`(${percent(report.threshold / report.limit)})`)}`);
  if (report.counter.calibration !== 1) facts.push("as the model counts");
  return facts.join(paint.dim(" · "));
}

// ---- before and after, against the window

function tokenBars(view) {
  const { report, paint, columns } = view;
  const { limit, threshold } = limitsInOurTokens(report);
  const start = startOf(view);
  const end = report.tokens_after;
  const figure = width(number(Math.max(start, end, threshold ?? 0))) + 1;
  const room = columns - 2 - LABEL - figure - 1;
  const scale = Math.max(start, end, limit ?? 0, 1);
  const over = (tokens) =>
    limit != null && tokens > limit
      ? paint.red
      : threshold != null && tokens >= threshold
        ? paint.yellow
        : paint.green;
  const bar = (label, tokens) => {
    const drawn = beforeAfter(tokens, tokens, scale, room, over(tokens), paint.dim);
    return row(view, label, `${left(drawn, room)} ${right(paint.bold(number(tokens)), figure)}`);
  };
  const lines = [bar("Before", start), bar("After", end)];
  if (threshold != null) lines.push(thresholdMark(view, threshold, scale, room));
  return lines;
}

function thresholdMark(view, threshold, scale, room) {
  const { paint, columns } = view;
  const at = Math.min(room - 1, Math.round((threshold / scale) * room));
  const label = `threshold ${number(threshold)}`;
  const fitsRight = LABEL + 2 + at + 2 + label.length <= columns;
  const line = fitsRight ? `${" ".repeat(at)}▲ ${label}` : `${" ".repeat(at - label.length - 1)}${label} ▲`;
  return row(view, "", paint.dim(line));
}

// ---- decisions, in order

function decisions(view) {
  const { report, paint, columns } = view;
  if (!report.decisions.length) return [heading(view, "Decisions", "none: nothing had to change")];
  const rows = report.decisions.map((decision, index) => {
    const { tokens_before: from, tokens_after: to } = decision;
    const name = decision.attempt > 1 ? `${decision.pass} (try ${decision.attempt})` : decision.pass;
    return {
      index: String(index + 1),
      name,
      from: number(from),
      to: number(to),
      saved: signed(to - from),
      items: plural(decision.items.length, "message"),
      why: grouped(plain(decision.why)),
    };
  });
  const widest = (key) => Math.max(...rows.map((each) => width(each[key])));
  const w = Object.fromEntries(Object.keys(rows[0]).map((key) => [key, widest(key)]));
  const indent = 2 + w.index + 2;
  const roomForItems = columns - (indent + w.name + 2 + w.from + 3 + w.to + 2 + w.saved) >= 2 + w.items;
  const line = (each) => [
    `  ${paint.dim(right(each.index, w.index))}`,
    paint.cyan(left(each.name, w.name)),
    `${right(each.from, w.from)} ${paint.dim("→")} ${right(each.to, w.to)}`,
    paint.bold(right(each.saved, w.saved)),
    roomForItems ? paint.dim(right(each.items, w.items)) : "",
  ];
  return [
    heading(view, "Decisions", "in order"),
    ...rows.flatMap((each) => [
      line(each).join("  "),
      ...wrap(each.why, columns - indent).map((why) => `${" ".repeat(indent)}${paint.dim(why)}`),
    ]),
  ];
}

const signed = (value) => (value > 0 ? `+${number(value)}` : value < 0 ? `−${number(-value)}` : "±0");

// ---- tokens per part

const PART_NAMES = { tool_calls: "tool calls", tool_outputs: "tool outputs" };
export const partName = (name) => PART_NAMES[name] ?? plain(name).replaceAll("_", " ");

function parts(view) {
  const { report, before, paint, columns } = view;
  const rows = joined(before?.parts ?? [], report.parts);
  if (!rows.length) return [];
  const w = {
    name: Math.max(...rows.map((each) => width(partName(each.name)))),
    figure: Math.max(6, ...rows.flatMap((each) => [width(number(each.before)), width(number(each.after))])),
  };
  const room = columns - 2 - w.name - 2 - (before ? w.figure + 2 : 0) - w.figure - 2;
  const scale = Math.max(1, ...rows.flatMap((each) => [each.before, each.after]));
  const figures = (a, b) => `${before ? `${right(a, w.figure)}  ` : ""}${right(b, w.figure)}`;
  const heads = paint.dim(figures("before", before ? "after" : "tokens"));
  const legend = before ? paint.dim("█ left  ░ gone") : "";
  return [
    `  ${paint.bold(left("Tokens", w.name))}  ${heads}  ${legend}`,
    ...rows.map((each) => {
      const bar = beforeAfter(each.before, each.after, scale, room, paint.green, paint.dim);
      return `  ${left(partName(each.name), w.name)}  ${figures(dimZero(each.before, paint), dimZero(each.after, paint))}  ${bar}`;
    }),
  ];
}

const dimZero = (tokens, paint) => (tokens === 0 ? paint.dim("–") : number(tokens));

/** Combines the parts of both reports, in the order of the later one. */
function joined(before, after) {
  const rows = new Map();
  for (const part of [...after, ...before]) rows.set(part.name, { name: part.name, before: 0, after: 0 });
  for (const part of before) rows.get(part.name).before = part.tokens;
  for (const part of after) rows.get(part.name).after = part.tokens;
  return [...rows.values()].filter((part) => part.before + part.after > 0);
}

// ---- what was trimmed, what was folded, what is left

function changes(view) {
  const { report, paint, columns, folds } = view;
  const folded = new Set(report.left_out.filter((entry) => entry.fold).map((entry) => entry.id));
  const groups = new Map(); // by reason: how many messages were shortened, how many are folded by now, and how many have refs
  for (const entry of report.left_out) {
    if (entry.fold) continue;
    if (!groups.has(entry.why)) groups.set(entry.why, { count: 0, folded: 0, refs: 0 });
    const group = groups.get(entry.why);
    group.count += 1;
    group.folded += folded.has(entry.id) ? 1 : 0;
    group.refs += entry.ref ? 1 : 0;
  }
  const lines = [];
  const room = columns - LABEL - 2;
  for (const [why, { count, folded: gone, refs }] of groups) {
    const where = refs === count ? "each in full behind its ref" : refs ? `${number(refs)} in full behind a ref` : "";
    const text = [
      `${plural(count, "message")}: ${plain(why).split(";")[0]}`,
      where,
      gone && (gone === count ? "all folded since" : `${number(gone)} folded since`),
    ]
      .filter(Boolean)
      .join(" · ");
    wrap(text, room).forEach((line, index) => lines.push(row(view, index ? "" : lines.length ? "" : "Trimmed", line)));
  }
  const standing = folds.filter((fold) => fold.in_view);
  if (folded.size || standing.length) {
    const costs = standing.reduce((sum, fold) => sum + fold.tokens, 0);
    const into = standing.length
      ? ` into ${standing.length === 1 ? "a summary" : `${number(standing.length)} summaries`} of ${plural(costs, "token")}`
      : "";
    lines.push(
      row(
        view,
        "Folded",
        `${plural(folded.size || standing.reduce((sum, fold) => sum + fold.items.length, 0), "message")}${into}`,
      ),
    );
  }
  const saved = startOf(view) > 0 ? 1 - report.tokens_after / startOf(view) : 0;
  const share = report.window ? `, ${shareOf(report.tokens_after / report.window)} the window` : "";
  const less = saved > 0 ? ` ${paint.dim("(")}${paint.green(`−${percent(saved)}`)}${paint.dim(")")}` : "";
  const figures = [plural(report.messages_after, "message"), plural(report.tokens_after, "token")];
  lines.push(row(view, "Left", withMore(view, figures.map(paint.bold).join(", "), share, less)));
  return lines;
}

const shareOf = (ratio) =>
  ratio > 1 ? `${ratio < 10 ? ratio.toFixed(1) : number(ratio)} times` : `${percent(ratio)} of`;

// ---- the summary's beginning

function summary(view) {
  const { report, paint, columns, folds } = view;
  const fold = folds.findLast((each) => each.in_view);
  if (!fold) return [];
  const all = fold.summary
    .split("\n")
    .map((line) => plain(line).trimEnd())
    .filter((line) => line.trim());
  const shown = all.slice(0, SUMMARY_LINES);
  const more = all.length - shown.length;
  const notes = [
    report.summary?.fallback && plain(report.summary.fallback),
    report.summary?.attempts > 1 && `${report.summary.attempts} attempts`,
  ].filter(Boolean);
  return [
    heading(view, "Summary", notes.join(", ")),
    ...shown.map((line) => `  ${paint.dim("│")} ${fit(line, columns - 4)}`),
    ...(more > 0 ? [`  ${paint.dim(`│ … ${plural(more, "more line")}`)}`] : []),
  ];
}

// ---- how it ended

function closing(view, { written = [], failure }) {
  const { report, paint, columns } = view;
  const room = columns - LABEL - 2;
  const lines = [row(view, "Result", verdict(report, failure, paint))];
  for (const [index, line] of written.entries()) lines.push(row(view, index ? "" : "Output", fit(plain(line), room)));
  return lines;
}

function verdict(report, failure, paint) {
  const tokens = report.tokens_after;
  const { limit, threshold } = limitsInOurTokens(report);
  if (failure) return `${paint.red("✗ does not fit")} ${paint.dim(`(${failure.code})`)}`;
  if (limit != null && tokens > limit) return paint.red(`✗ ${number(tokens - limit)} tokens over the limit`);
  // A view that is made only once (`fill`) may be filled up to the limit; the threshold is for sessions that continue.
  if (limit != null && report.target > threshold) return paint.green(`✓ fits, ${plural(limit - tokens, "token")} under the limit`);
  if (threshold != null && tokens >= threshold)
    return paint.yellow(`fits its limit, ${plural(tokens - threshold, "token")} over the threshold`);
  if (threshold != null) return paint.green(`✓ fits, ${plural(threshold - tokens, "token")} under the threshold`);
  return "nothing is enforced: no window is known";
}
