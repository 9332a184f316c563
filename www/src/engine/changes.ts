// Compares a view with that of the previous call: which messages, and which lines of the provider's JSON, are different.
//
// Computed from two sessions of the replay when the visitor stays at a call. Entries are compared first, then the lines of entries that
// replaced others. If there are more than `MOST_EDITS` differences, everything counts as removed and new.

import type { Format, LeftOutNow, Session } from "contextfold";
import { difference } from "./diff";
import type { Change, Changes, DiffLine, ChangeKind, Source } from "./protocol";

/** At most this many changed messages are listed. */
const MAX_CHANGES = 300;
/** Maximum number of differences to look for, between entries or between lines. */
const MAX_EDITS = 1_000;
/** How many lines of a run are shown at its beginning and at its end. */
const RUN = { same: [2, 2], gone: [14, 4], new: [24, 8] } as const;
/** How many lines of the whole difference are shown. */
const MAX_LINES = 900;
/** How many characters of a line are shown. */
const LINE = 600;

interface Standing {
  tokens: number;
  form: string;
}

/** Messages that differ between the two views, or that only one of them has. */
export function changesOf(before: Session | null, after: Session, sourceOf: (id: string) => Source | undefined): Pick<Changes, "changes" | "totals"> {
  const stood = standingOf(before);
  const stands = standingOf(after);
  const was = before ? leftOutOf(before) : new Map<string, LeftOutNow>();
  const is = leftOutOf(after);
  const folds = new Map(after.folds().map((fold) => [fold.id, fold]));
  const known = new Set(before?.messages.map(({ id }) => id ?? ""));
  const changes: Change[] = [];
  const put = (id: string, what: ChangeKind) => {
    const { role = "summary", label = "", tokens = 0 } = sourceOf(id) ?? {};
    const { why, pass } = is.get(id) ?? {};
    changes.push({ id, role, label, what, tokensBefore: stood.get(id)?.tokens ?? (what === "new" ? tokens : 0), tokensAfter: stands.get(id)?.tokens ?? 0, ...(why && { why }), ...(pass && { pass }) });
  };
  for (const [id, { tokens, form }] of stands) {
    const earlier = stood.get(id);
    if (!sourceOf(id)) {
      if (!earlier || earlier.tokens !== tokens) put(id, "summary");
    } else if (!earlier) put(id, known.has(id) || was.has(id) ? "back" : "new");
    else if (earlier.form !== form || earlier.tokens !== tokens) put(id, is.get(id)?.state ?? "back");
  }
  for (const [id, { state }] of is) if (!stands.has(id) && was.get(id)?.state !== state && !folds.has(id)) put(id, state);
  // A summary that is now inside a later one, or was undone.
  for (const id of stood.keys()) if (!stands.has(id) && !is.has(id)) put(id, folds.has(id) ? "folded" : "removed");

  const totals = new Map<ChangeKind, Changes["totals"][number]>();
  for (const { what, tokensBefore, tokensAfter } of changes) {
    const total = totals.get(what) ?? { what, count: 0, tokensBefore: 0, tokensAfter: 0 };
    totals.set(what, { what, count: total.count + 1, tokensBefore: total.tokensBefore + tokensBefore, tokensAfter: total.tokensAfter + tokensAfter });
  }
  return { changes: changes.slice(0, MAX_CHANGES), totals: [...totals.values()] };
}

/** Compares the provider's JSON of both views, line by line. */
export function linesOf(before: Session | null, after: Session, format: Format): Pick<Changes, "lines" | "linesGone" | "linesNew"> {
  const old = before ? entriesOf(before.view(format)) : [];
  const now = entriesOf(after.view(format));
  const lines: DiffLine[] = [];
  const counts = { gone: 0, new: 0, same: 0 };
  const put = (kind: DiffLine["kind"], run: string[]) => {
    counts[kind] += run.length;
    const [head, tail] = RUN[kind];
    const skipped = run.length - head - tail;
    const shown = (texts: string[]) => texts.map((text): DiffLine => ({ kind, text: text.length > LINE ? `${text.slice(0, LINE)}…` : text }));
    if (skipped < 2) return lines.push(...shown(run));
    return lines.push(...shown(run.slice(0, head)), { kind, text: "", skipped }, ...shown(tail > 0 ? run.slice(-tail) : []));
  };
  let gone: string[] = [];
  for (const { kind, from, to } of difference(old, now, MAX_EDITS)) {
    if (kind === "gone") {
      gone = textOf(old.slice(from, to));
      continue;
    }
    const run = textOf(now.slice(from, to));
    // An entry that replaced another one is compared with it line by line.
    if (kind === "new" && gone.length > 0)
      for (const piece of difference(gone, run, MAX_EDITS)) put(piece.kind, (piece.kind === "gone" ? gone : run).slice(piece.from, piece.to));
    else {
      put("gone", gone);
      put(kind, run);
    }
    gone = [];
  }
  put("gone", gone);
  const rest = lines.length - MAX_LINES;
  return { lines: rest > 1 ? [...lines.slice(0, MAX_LINES), { kind: "same", text: "", skipped: rest }] : lines, linesGone: counts.gone, linesNew: counts.new };
}

/** The newest summary in the view, as the model reads it. */
export function summaryOf(session: Session, textOfMessage: (id: string) => string): Changes["summary"] {
  const fold = session.folds().filter(({ in_view }) => in_view).at(-1);
  return fold ? { id: fold.id, text: textOfMessage(fold.id), ledger: fold.ledger ?? "", tokens: fold.tokens } : null;
}

const standingOf = (session: Session | null) => new Map(session?.items().map(({ id, tokens, form }): [string, Standing] => [id, { tokens, form }]));

const leftOutOf = (session: Session) => new Map(session.leftOut().map((line) => [line.id, line]));

/** A view's entries, each as JSON. Keys besides the list (instructions, a system prompt) are entries of their own. */
function entriesOf(view: unknown): string[] {
  const written = (value: unknown) => JSON.stringify(value, null, 2);
  if (Array.isArray(view)) return view.map(written);
  return Object.entries(view as object).flatMap(([name, value]) => (Array.isArray(value) && name !== "system" ? value.map(written) : [written({ [name]: value })]));
}

/** Splits entries into lines, also at line breaks inside texts. */
const textOf = (entries: string[]) => entries.flatMap((entry) => entry.replace(/(?<!\\)((?:\\\\)*)\\n/g, "$1↵\n").split("\n"));
