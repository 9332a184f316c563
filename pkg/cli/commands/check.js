// contextfold check: whether the provider would accept a transcript.

import { check as checkList } from "contextfold";
import { EXIT, usage } from "../failure.js";
import { meant } from "../../nearest.js";
import { fitEnd, left, plain, plural, wrap } from "../paint.js";
import { print, printJson, progress, style } from "../terminal.js";

const SHOWN = 60;

export function check(read, flags) {
  refuseProvider(flags, "check");
  const transcripts = read();
  progress(`checking ${plural(transcripts.length, "transcript")}`);
  const violations = transcripts.flatMap((transcript) =>
    violationsOf(transcript, flags).map((found) => (transcript.line ? { line: transcript.line, ...found } : found)),
  );
  progress("");
  if (flags.json) printJson({ violations });
  else print(render(transcripts, violations, style(process.stdout, flags)));
  return violations.some((found) => found.severity === "error") ? EXIT.violations : EXIT.fine;
}

const violationsOf = (transcript, flags) => checkList(transcript.format, listed(transcript), optionsOf(transcript, flags));

/** An unknown provider in the flag is an error. One that is named in a recorded request is not, because it may be new. */
export function refuseProvider({ provider }, command) {
  if (provider === undefined || !checkList("messages", [], { provider }).some(({ rule }) => rule === "provider-unknown")) return;
  const near = meant(provider, PROVIDERS);
  throw usage(`--provider: unknown provider ${provider}${near}; known are ${PROVIDERS.join(", ")}, and other for the most lenient rules`, command);
}

const PROVIDERS = ["openai", "anthropic", "deepseek", "mistral", "gemini"];

const OPTIONS = ["provider", "stateful", "store", "thinking", "bound", "pending"];

/** Options for the check: from a recorded request's `opts` and from the flags, which take precedence. */
export function optionsOf({ body }, { provider, pending }) {
  const given = { ...body?.opts, ...(provider && { provider }), ...(pending && { pending }) };
  return Object.fromEntries(OPTIONS.filter((key) => given[key] !== undefined).map((key) => [key, given[key]]));
}

/** The body with the list in it, or only the list. */
export const listed = ({ body, key, items }) => (body ? { ...body, [key]: items } : items);

function render(transcripts, violations, { paint, width }) {
  const [one] = transcripts;
  const name = plain(transcripts.length > 1 ? one.name.replace(/: line \d+$/, "") : one.name);
  const formats = [...new Set(transcripts.map((transcript) => transcript.format))].join(", ");
  const items = transcripts.reduce((sum, transcript) => sum + transcript.items.length, 0);
  const source = [formats, ...(transcripts.length > 1 ? [plural(transcripts.length, "request")] : []), plural(items, "item")];
  const lines = [`  ${paint.bold(fitEnd(name, width - 2))}`, `  ${paint.dim(source.join(" · "))}`, "", `  ${verdict(violations, paint)}`];
  if (violations.length) lines.push("", ...violations.slice(0, SHOWN).flatMap((found) => row(found, width, paint)));
  if (violations.length > SHOWN) lines.push(`  ${paint.dim(`… ${plural(violations.length - SHOWN, "more")}: --json shows all`)}`);
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

function verdict(violations, paint) {
  const errors = violations.filter((found) => found.severity === "error").length;
  const warnings = violations.length - errors;
  const counted = [...(errors ? [plural(errors, "error")] : []), ...(warnings ? [plural(warnings, "warning")] : [])].join(", ");
  if (errors) return paint.red(`✗ ${counted}: the provider would reject it`);
  return paint.green(`✓ nothing that its provider would reject`) + (warnings ? paint.dim(` (${counted})`) : "");
}

const RULE = 20;

function row({ line, severity, rule, index, message }, width, paint) {
  const place = `${line ? `line ${line} ` : ""}[${index}]`;
  const paintedRule = (severity === "error" ? paint.red : paint.yellow)(left(rule, RULE));
  const text = wrap(plain(message), width - RULE - 6 - Math.max(8, place.length));
  const indent = " ".repeat(2 + RULE + 2 + Math.max(8, place.length) + 1);
  return text.map((part, at) => (at ? `${indent}${part}` : `  ${paintedRule}  ${left(place, 8)} ${part}`));
}
