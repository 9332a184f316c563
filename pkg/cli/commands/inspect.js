// contextfold inspect: shows what is in a transcript.

import { countSteps, countTurns, longestTurn, toolOutputs, toolTable } from "../conversation.js";
import { limits, measure } from "../engine.js";
import { EXIT } from "../failure.js";
import { fit, fitEnd, left, number, percent, plain, plural, right, size, width } from "../paint.js";
import { counter } from "../report.js";
import { print, printJson, progress, style } from "../terminal.js";
import { limitLine, partRows } from "./count.js";

const LARGEST = 8;
const TOOLS = 12;

export async function inspect(read, flags) {
  const { window, limit } = limits(flags);
  const transcript = read();
  progress("counting");
  const { session, report } = await measure(transcript, flags);
  const { messages } = session;
  const outputs = toolOutputs(session);
  session.free();
  progress("");
  const facts = {
    file: transcript.name,
    format: transcript.format,
    ...(transcript.source && { source: transcript.source }),
    ...(transcript.notes.length && { notes: transcript.notes }),
    ...(transcript.usage && { usage: transcript.usage }),
    shape: transcript.shape,
    bytes: transcript.bytes,
    items: transcript.items.length,
    messages: messages.length,
    turns: countTurns(messages),
    steps: countSteps(messages),
    longest_turn_steps: longestTurn(messages),
    tokens: report.tokens_after,
    by_part: Object.fromEntries(report.parts.map((part) => [part.name, part.tokens])),
    method: report.counter.method,
    exact: report.counter.exact,
    ...(report.counter.corrected_tokens !== report.tokens_after && { corrected_tokens: report.counter.corrected_tokens }),
    ...(limit === null ? {} : { window, limit }),
    tools: toolTable(messages, outputs),
    largest_outputs: outputs.toSorted((a, b) => b.bytes - a.bytes).slice(0, LARGEST),
  };
  if (flags.json) printJson(facts);
  else print(render(facts, report, limit, style(process.stdout, flags)));
  return limit !== null && report.counter.corrected_tokens > limit ? EXIT.overLimit : EXIT.fine;
}

const SOURCES = { "claude-code": "Claude Code session file", codex: "Codex rollout" };
const SHAPES = { array: "array", body: "request body", lines: "JSON lines" };

function render(facts, report, limit, { paint, width: columns }) {
  const row = (label, text) => `  ${paint.dim(left(label, 11))}${text}`;
  const dot = paint.dim(" · ");
  const longest = facts.turns > 1 ? paint.dim(` (the longest turn has ${number(facts.longest_turn_steps)})`) : "";
  const sections = [
    [`  ${paint.bold(fitEnd(plain(facts.file), columns - 2))}`],
    [
      row("Format", [facts.format, SOURCES[facts.source] ?? SHAPES[facts.shape], size(facts.bytes)].join(dot)),
      row("Holds", [plural(facts.items, "item"), plural(facts.messages, "message")].join(dot)),
      row("", [plural(facts.turns, "turn"), plural(facts.steps, "step") + longest].join(dot)),
      row("Tokens", `${paint.bold(number(facts.tokens))} ${paint.dim(`(${counter(report)})`)}`),
      ...(facts.usage ? [row("Reported", reported(facts.usage))] : []),
      ...(facts.notes ?? []).map((note) => row("", paint.dim(note))),
      ...(limit === null ? [] : [row("Window", limitLine(report, limit, paint))]),
    ],
    [`  ${paint.bold("Tokens by part")}`, ...partRows(report.parts, columns, paint)],
    tools(facts.tools, columns, paint),
    largest(facts.largest_outputs, columns, paint),
  ];
  return `${sections
    .filter((lines) => lines.length)
    .map((lines) => lines.map((line) => line.trimEnd()).join("\n"))
    .join("\n\n")}\n`;
}

function reported({ input_tokens, cached_tokens, output_tokens, calls }) {
  const cached = input_tokens ? ` (${percent(cached_tokens / input_tokens)} cached)` : "";
  return `${plural(calls, "call")}: ${number(input_tokens)} tokens in${cached}, ${number(output_tokens)} out`;
}

function tools(rows, columns, paint) {
  if (!rows.length) return [];
  const shown = rows.slice(0, TOOLS);
  const cells = shown.map((tool) => [
    plain(tool.name),
    number(tool.calls),
    size(tool.output_bytes),
    number(tool.output_tokens),
  ]);
  const more = rows.length - shown.length;
  return [
    ...table(["Tools", "calls", "output", "tokens"], cells, columns, paint),
    ...(more > 0 ? [`  ${paint.dim(`… ${plural(more, "more tool")}`)}`] : []),
  ];
}

function largest(rows, columns, paint) {
  if (!rows.length) return [];
  const cells = rows.map((output) => [
    plain(output.tool),
    size(output.bytes),
    number(output.lines),
    number(output.tokens),
    plain(readable(output.asked)),
  ]);
  return table(["Largest outputs", "size", "lines", "tokens", "asked for"], cells, columns, paint);
}

/** A call's arguments in readable form if they are a JSON object: `path: a.rs, limit: 20`. */
function readable(text) {
  try {
    const args = JSON.parse(text);
    if (typeof args !== "object" || args === null || Array.isArray(args)) return text;
    return Object.entries(args)
      .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(", ");
  } catch {
    return text; // a model's arguments need not be JSON
  }
}

/** A table with a head. The first column and the optional fifth are aligned left (the fifth is cut to fit), figures right. */
function table(head, rows, columns, paint) {
  const figures = [1, 2, 3];
  const first = Math.min(32, Math.max(width(head[0]), ...rows.map((cells) => width(cells[0]))));
  const widths = figures.map((index) => Math.max(width(head[index]), ...rows.map((cells) => width(cells[index]))));
  const room = columns - 2 - first - widths.reduce((sum, each) => sum + each + 2, 0) - 2;
  const line = (cells, name, text) => {
    const named = `  ${name(left(fit(cells[0], first), first))}`;
    const counted = figures.map((index) => text(right(cells[index], widths[index - 1])));
    return [named, ...counted, paint.dim(fit(cells[4] ?? "", room))].join("  ");
  };
  return [
    line(head, paint.bold, paint.dim),
    ...rows.map((cells) =>
      line(
        cells,
        (name) => name,
        (text) => text,
      ),
    ),
  ];
}
