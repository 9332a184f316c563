// contextfold simulate: replays a recorded transcript call by call under several presets, and compares them.

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { Recording, Session, presets as known, simulate as replay } from "contextfold";
import { plainBody, sessionOptions } from "../engine.js";
import { EXIT, usage, whyUnreadable } from "../failure.js";
import { cacheNote, dollars, figuresOf, htmlReport, priceNote } from "../html.js";
import { fitEnd, left, number, plain, plural, right, width, wrap } from "../paint.js";
import { printJson, progress, style } from "../terminal.js";
import { writeText } from "../write.js";

export function simulate(read, flags) {
  if (flags.json && flags.html === "-") throw usage("--json and --html - both print to standard output: use only one", "simulate");
  const presets = flags.preset ?? Object.keys(known);
  const options = sessionOptions({ ...flags, preset: undefined });
  const prices = flags.prices === undefined ? undefined : readPrices(flags.prices);
  const money = { ...(prices && { prices }), ...(flags["price-as"] !== undefined && { priceAs: flags["price-as"] }) };
  for (const ladder of presets) new Session({ ...options, ladder }).free(); // before anything is read, so that a wrong flag is reported at once
  replay("messages", [], { ...options, ...money, presets: [] });
  const transcript = read();
  const recording = new Recording(transcript.format, inputOf(transcript), { tools: Array.isArray(transcript.body?.tools) ? transcript.body.tools : [] });
  const bill = { ...options, ...money, ...named(transcript, { options, money }) };
  const runs = [];
  let simulation;
  for (const [index, preset] of presets.entries()) {
    progress(`replaying ${plural(transcript.items.length, "item")} under ${plain(preset)} (${index + 1} of ${presets.length})`);
    simulation = recording.simulate({ ...bill, presets: [preset] });
    runs.push(...simulation.runs);
  }
  recording.free();
  progress("");
  simulation = { ...simulation, runs };
  const shown = { name: transcript.name, source: sourceOf(transcript, simulation), simulation };
  const written = flags.html === undefined ? null : writeText(flags.html, htmlReport({ ...shown, name: basename(transcript.name) })); // only the file's name, because readers of the report need not know the folders
  const stream = flags.html === "-" ? process.stderr : process.stdout;
  if (flags.json) printJson(simulation);
  else stream.write(render(shown, written === null ? null : flags.html, style(stream, flags)));
  // Presets that the user did not name may go over the limit: showing that is the purpose of the table.
  const judged = flags.preset ?? ["contextfold"];
  return runs.some((run) => run.calls_over_limit > 0 && judged.includes(run.preset)) ? EXIT.overLimit : EXIT.fine;
}

/** The option to use the price of the model that the file names, if the flags name no model and its price is known. */
function named({ model }, { options, money }) {
  if (model === undefined || options.model !== undefined || money.priceAs !== undefined) return {};
  try {
    replay("messages", [], { contextWindow: 1000, ...money, priceAs: model, presets: [] });
    return { priceAs: model };
  } catch {
    return {};
  }
}

function readPrices(file) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw usage(`cannot read ${file}: ${whyUnreadable(error)}`, "simulate");
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(`${file} is not JSON: ${error.message}`, "simulate");
  }
}

const inputOf = (transcript) => (transcript.body ? plainBody(transcript) : transcript.items);

function sourceOf(transcript, { transcript_tokens: tokens, recorded }) {
  return [transcript.format, plural(tokens, "token"), plural(recorded.calls.length, "model call")].join(" · ");
}

const HEAD = ["preset", "tokens sent", "largest", "folds", "asked", "cached", "facts", "by ref", "rules", "page faults"];

function render({ name, source, simulation }, html, { paint, width: columns }) {
  const { runs, recorded, prices } = simulation;
  const [{ window, limit }] = runs;
  const room = `window ${number(window)}${limit === window ? "" : `, limit ${number(limit)}`}`;
  const heads = prices ? [...HEAD, "cost"] : HEAD;
  const rows = [...runs.map((run) => cellsOf(run.preset, run, prices)), cellsOf("as recorded", recorded, prices)];
  const widths = heads.map((head, at) => Math.max(width(head), ...rows.map((cells) => width(cells[at]))));
  const line = (cells) => cells.map((cell, at) => (at ? right(cell, widths[at]) : left(cell, widths[at]))).join("  ");
  const lines = [
    `  ${paint.bold(fitEnd(plain(name), columns - 2))}`,
    `  ${paint.dim(source)}`,
    `  ${paint.dim(room)}`,
    "",
    `  ${paint.dim(line(heads))}`,
    ...rows.map((cells, at) => `  ${at < runs.length ? line(cells) : paint.dim(line(cells))}`),
    "",
    ...notes(simulation, columns).map((note) => `  ${note.bad ? paint.red(note.text) : paint.dim(note.text)}`),
    ...(html === null ? [] : ["", `  ${paint.dim(`written: ${plain(html)}`)}`]),
  ];
  return `${lines.map((text) => text.trimEnd()).join("\n")}\n`;
}

const cellsOf = (name, run, prices) => [name, number(run.tokens_total), ...figuresOf(run), ...(prices ? [dollars(run.cost)] : [])];

/** Notes that explain the figures and point out problems. */
function notes({ runs, prices }, columns) {
  const of = (text, bad = false) => wrap(text, columns - 2).map((line) => ({ text: line, bad }));
  const over = runs.filter((run) => run.calls_over_limit > 0);
  const out = runs.filter((run) => run.threshold > run.limit);
  const failed = runs.filter((run) => run.calls.some((call) => call.error));
  const pieces = runs.filter((run) => run.compactions.requests > run.compactions.count);
  return [
    of(
      "tokens sent: of all calls; asked: input tokens of the requests for summaries. facts: paths, URLs, ids and error codes that are in the view; by ref: or in an output that a ref in the view opens; rules: the user's constraints, word for word. A mean over the calls from the first fold on; without a fold, of the last call. page faults: of the tool calls that went back to an earlier output, those whose output was no longer whole in the view.",
    ),
    of(prices ? priceNote(prices) : "cost: set a model with --model or --price-as, or pass --prices FILE."),
    ...runs.filter((run) => run.cache_breaks.length > 0).map((run) => of(`${run.preset}: ${cacheNote(run)}`)),
    ...pieces.map((run) => of(`${run.preset}: its summaries took ${plural(run.compactions.requests, "request")} because the text was larger than the summariser's window.`)),
    ...out.map((run) => of(`${run.preset}: its threshold of ${number(run.threshold)} is above the limit, which triggers instead.`)),
    ...failed.map((run) => of(failures(run), run.calls_over_limit > 0)),
    ...over.map((run) => of(`✗ ${run.preset}: ${plural(run.calls_over_limit, "call")} over the limit of ${number(run.limit)}`, true)),
  ].flat();
}

function failures(run) {
  const codes = run.calls.flatMap((call) => (call.error ? [call.error.code] : []));
  const counted = [...new Set(codes)].map((code) => `${code} ×${codes.filter((each) => each === code).length}`);
  return `${run.preset}: some views could not be prepared and were sent unchanged (${counted.join(", ")})`;
}
