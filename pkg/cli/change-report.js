// The report of `repair` and `convert`: what was changed where, and where the result was written.

import { usage } from "./failure.js";
import { fitEnd, left, plain, plural, size, wrap } from "./paint.js";
import { style } from "./terminal.js";

const SHOWN = 60;
const LABEL = 20;
const PLACE = 8;

export function refuseTwoOutputs(flags, command) {
  if (flags.json && flags.out === "-") throw usage("--json and --out - both print to standard output: use only one", command);
}

/** Prints the report to standard output, or to standard error if the transcript goes to standard output. */
export function printChanges({ transcript, what, rows, verdict, format, list, written, left_behind = [], failed }, flags) {
  const stream = flags.out === "-" ? process.stderr : process.stdout;
  const { paint, width } = style(stream, flags);
  const source = [transcript.format + (transcript.forced ? "" : " (detected)"), plural(transcript.items.length, "item"), size(transcript.bytes)];
  const lines = [`  ${paint.bold(fitEnd(plain(transcript.name), width - 2))}`, `  ${paint.dim(source.join(" · "))}`, ""];
  const mark = failed ? paint.red("✗ ") : paint.green("✓ ");
  lines.push(`  ${mark}${verdict ?? plural(rows.length, what)}`);
  const label = Math.min(LABEL, Math.max(0, ...rows.map((row) => row.label.length)));
  const indent = 2 + PLACE + 1 + (label ? label + 2 : 0);
  for (const row of rows.slice(0, SHOWN)) {
    const [first, ...more] = wrap(plain(row.text), width - indent);
    lines.push(`  ${left(`[${row.index}]`, PLACE)} ${label ? `${paint.yellow(left(row.label, label))}  ` : ""}${first}`);
    lines.push(...more.map((text) => " ".repeat(indent) + text));
  }
  if (rows.length > SHOWN) lines.push(`  ${paint.dim(`… ${plural(rows.length - SHOWN, "more")}: --json shows all`)}`);
  lines.push("");
  if (left_behind.length) lines.push(`  ${paint.dim(`left behind, being ${transcript.format}'s own: ${left_behind.join(", ")}`)}`);
  const where =
    written === null
      ? "not written: --out FILE writes it, --json prints it"
      : `${flags.out} (${format}, ${plural(list.length, "item")}, ${size(written)})`;
  lines.push(`  ${paint.dim(where)}`);
  stream.write(`${lines.map((line) => line.trimEnd()).join("\n")}\n`);
}
