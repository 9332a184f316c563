// contextfold simulate: a recorded transcript, replayed call by call under several presets, side by side.

import { Session, presets as known, simulate as replay } from "../../node.js";
import { plainBody, sessionOptions } from "../engine.js";
import { EXIT } from "../failure.js";
import { fitEnd, left, number, percent, plain, plural, right, width } from "../paint.js";
import { print, printJson, progress, style } from "../terminal.js";

export function simulate(read, flags) {
  const presets = flags.preset ?? Object.keys(known);
  const options = sessionOptions({ ...flags, preset: undefined });
  for (const ladder of presets) new Session({ ...options, ladder }).free(); // before anything is read: a wrong flag shows at once
  const transcript = read();
  const runs = [];
  let tokens = 0;
  for (const [index, preset] of presets.entries()) {
    progress(`replaying ${plural(transcript.items.length, "item")} under ${plain(preset)} (${index + 1} of ${presets.length})`);
    const simulated = replay(transcript.format, inputOf(transcript), {
      ...options,
      presets: [preset],
      ...(Array.isArray(transcript.body?.tools) && { tools: transcript.body.tools }),
    });
    tokens = simulated.transcript_tokens;
    runs.push(...simulated.runs);
  }
  progress("");
  if (flags.json) printJson({ transcript_tokens: tokens, runs });
  else print(render(transcript, tokens, runs, style(process.stdout, flags)));
  return runs.some((run) => run.calls_over_limit > 0) ? EXIT.overLimit : EXIT.fine;
}

const inputOf = (transcript) => (transcript.body ? plainBody(transcript) : transcript.items);

const HEAD = ["preset", "tokens sent", "largest", "folds", "asked", "cached", "facts", "by ref", "rules"];

function render(transcript, tokens, runs, { paint, width: columns }) {
  const [{ window, limit, calls }] = runs;
  const source = [transcript.format, plural(tokens, "token"), plural(calls.length, "model call")].join(" · ");
  const room = `window ${number(window)}${limit === window ? "" : `, limit ${number(limit)}`}`;
  const rows = runs.map((run) => cellsOf(run));
  const widths = HEAD.map((head, at) => Math.max(width(head), ...rows.map((cells) => width(cells[at]))));
  const line = (cells) => cells.map((cell, at) => (at ? right(cell, widths[at]) : left(cell, widths[at]))).join("  ");
  const lines = [
    `  ${paint.bold(fitEnd(plain(transcript.name), columns - 2))}`,
    `  ${paint.dim(source)}`,
    `  ${paint.dim(room)}`,
    "",
    `  ${paint.dim(line(HEAD))}`,
    ...rows.map((cells) => `  ${line(cells)}`),
    "",
    ...notes(runs).map((note) => `  ${note.bad ? paint.red(note.text) : paint.dim(note.text)}`),
  ];
  return `${lines.map((text) => text.trimEnd()).join("\n")}\n`;
}

function cellsOf(run) {
  const kept = run.retention_mean ?? run.retention;
  return [
    run.preset,
    number(run.tokens_total),
    number(run.tokens_largest),
    number(run.compactions.count),
    number(run.compactions.request_tokens),
    percent(run.cache_hit_ratio),
    percent(kept.literal),
    percent(kept.with_refs),
    percent(kept.constraints),
  ];
}

/** What the figures mean, and what a reader would stumble over. */
function notes(runs) {
  const of = (text, bad = false) => ({ text, bad });
  const over = runs.filter((run) => run.calls_over_limit > 0);
  const out = runs.filter((run) => run.threshold > run.limit);
  const failed = runs.filter((run) => run.calls.some((call) => call.error));
  return [
    of("tokens sent: of all calls; asked: input tokens of the requests for summaries."),
    of("facts: paths, URLs, ids and error codes that stand in the view; by ref: or in an output"),
    of("that a ref in it opens; rules: the user's constraints, word for word. A mean over the calls"),
    of("from the first fold on; without a fold, of the last call."),
    ...out.map((run) => of(`${run.preset}: its threshold of ${number(run.threshold)} is above the limit, which triggers instead.`)),
    ...failed.map((run) => of(failures(run), run.calls_over_limit > 0)),
    ...over.map((run) => of(`✗ ${run.preset}: ${plural(run.calls_over_limit, "call")} over the limit of ${number(run.limit)}`, true)),
  ];
}

function failures(run) {
  const codes = run.calls.flatMap((call) => (call.error ? [call.error.code] : []));
  const counted = [...new Set(codes)].map((code) => `${code} ×${codes.filter((each) => each === code).length}`);
  return `${run.preset}: not every view could be prepared, and went out as it was (${counted.join(", ")})`;
}
