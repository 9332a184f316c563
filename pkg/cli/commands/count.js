// contextfold count: how many tokens a transcript has, by part.

import { limits, measure } from "../engine.js";
import { EXIT } from "../failure.js";
import { blocks, fitEnd, left, number, percent, plain, plural, right, width } from "../paint.js";
import { counter, partName } from "../report.js";
import { print, printJson, progress, style } from "../terminal.js";

export async function count(read, flags) {
  const { window, limit } = limits(flags);
  const transcript = read();
  progress("counting");
  const { session, report } = await measure(transcript, flags);
  session.free();
  progress("");
  const tokens = report.tokens_after;
  // Limits are in the model's tokens, which may be more than our count.
  const { corrected_tokens } = report.counter;
  const known = { ...(corrected_tokens !== tokens && { corrected_tokens }), ...(limit !== null && { window, limit }) };
  if (flags.json) {
    const by_part = Object.fromEntries(report.parts.map((part) => [part.name, part.tokens]));
    printJson({ tokens, by_part, method: report.counter.method, exact: report.counter.exact, ...known });
  } else print(render(transcript, report, limit, style(process.stdout, flags)));
  return limit !== null && corrected_tokens > limit ? EXIT.overLimit : EXIT.fine;
}

function render(transcript, report, limit, { paint, width: columns }) {
  const tokens = report.tokens_after;
  const lines = [
    `  ${paint.bold(plural(tokens, "token"))} ${paint.dim(`(${counter(report)})`)}`,
    `  ${paint.dim(`${transcript.format} · ${fitEnd(plain(transcript.name), columns - 5 - transcript.format.length)}`)}`,
    "",
    ...partRows(report.parts, columns, paint),
  ];
  if (limit !== null) lines.push("", `  ${limitLine(report, limit, paint)}`);
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** One row per part: tokens, share, bar. */
export function partRows(parts, columns, paint) {
  const total = parts.reduce((sum, part) => sum + part.tokens, 0) || 1;
  const most = Math.max(1, ...parts.map((part) => part.tokens));
  const name = Math.max(0, ...parts.map((part) => width(partName(part.name))));
  const figure = Math.max(0, ...parts.map((part) => width(number(part.tokens))));
  const room = columns - 2 - name - 2 - figure - 2 - 6 - 2;
  const row = ({ name: part, tokens }) => [
    `  ${left(partName(part), name)}`,
    right(number(tokens), figure),
    paint.dim(right(percent(tokens / total), 6)),
    paint.green(blocks(tokens / most, room)),
  ];
  return parts.map((part) => row(part).join("  "));
}

/** Compares the limit with the number of tokens as the model counts them, as far as known. */
export function limitLine({ counter: { corrected_tokens: tokens, calibration } }, limit, paint) {
  const line = tokens > limit
    ? paint.red(`✗ ${number(tokens - limit)} tokens over the limit of ${number(limit)}`)
    : paint.green(`✓ within the limit of ${number(limit)}, ${number(limit - tokens)} tokens to spare`);
  return calibration === 1 ? line : `${line} ${paint.dim(`(≈ ${number(tokens)} as the model counts)`)}`;
}
