// The before-and-after list: the history under its folds, one row a message.

import type { FoldInfo, Item, Message, ToolOutputRef } from "contextfold";
import type { Fate, Row } from "./protocol";
import { callName, excerptOf, textOf } from "./text";

/** A message of the history, as the list needs it: made once a transcript. */
export interface Source {
  id: string;
  role: "system" | "user" | "assistant" | "tool";
  label: string;
  tokens: number;
  excerpt: string;
}

/** The history's messages, with their tokens before anything was done. */
export function sourcesOf(messages: Message[], items: Item[]): Source[] {
  const tokens = new Map(items.map((item) => [item.id, item.tokens]));
  const callNames = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "assistant") for (const call of message.tool_calls ?? []) callNames.set(call.id, callName(call));
    const id = message.id ?? "";
    return {
      id,
      role: message.role === "developer" ? "system" : message.role,
      label: labelOf(message, callNames),
      tokens: tokens.get(id) ?? 0,
      excerpt: excerptOf(textOf(message)),
    };
  });
}

function labelOf(message: Message, callNames: Map<string, string>): string {
  if (message.role === "tool") return callNames.get(message.tool_call_id) ?? "tool";
  if (message.role !== "assistant" || !message.tool_calls?.length) return "";
  const names = [...new Set(message.tool_calls.map(callName))];
  const calls = message.tool_calls.length;
  return `calls ${names.slice(0, 2).join(", ")}${names.length > 2 ? " …" : ""}${calls > 1 ? ` (${calls})` : ""}`;
}

/** What the session says after a run. */
export interface After {
  items: Item[];
  view: Message[];
  folds: FoldInfo[];
  refs: ToolOutputRef[];
  /** All that was pushed: tool messages name their ref here, folded or not. */
  history: Message[];
}

/** The rows, in the view's order; what a fold stands for comes right after its summary. */
export function rowsOf(sources: Source[], after: After): Row[] {
  const byId = new Map(sources.map((source) => [source.id, source]));
  const view = new Map(after.view.map((message) => [message.id, message]));
  const refs = new Map(after.refs.map((ref) => [ref.id, ref]));
  const folds = new Map(after.folds.map((fold) => [fold.id, fold]));
  const refOf = new Map(after.history.flatMap((m) => (m.role === "tool" && m.output_ref ? [[m.id, m.output_ref.id]] : [])));
  const rows: Row[] = [];

  const withOutput = (row: Row): Row => {
    const ref = refOf.get(row.id);
    if (!ref) return row;
    return { ...row, ref, lines: refs.get(ref)?.line_count, bytes: refs.get(ref)?.byte_size };
  };
  const addMembers = (fold: FoldInfo, top: string) => {
    for (const id of fold.items) {
      const earlier = folds.get(id);
      if (earlier) addMembers(earlier, top);
      const source = byId.get(id);
      if (source) rows.push(withOutput({ ...beforeOf(source), fate: "folded", tokensAfter: 0, after: "", fold: top }));
    }
  };

  for (const item of after.items) {
    const message = view.get(item.id);
    const text = message ? textOf(message) : "";
    const source = byId.get(item.id);
    if (source) {
      const fate = fateOf(item);
      const shown = fate === "kept" ? "" : excerptOf(text);
      rows.push(withOutput({ ...beforeOf(source), fate, tokensAfter: item.tokens, after: shown, ...(item.pinned && { pinned: true }) }));
      continue;
    }
    // The engine's own: a summary, or what the model asked to retain beside it.
    const fold = folds.get(item.id);
    rows.push({
      id: item.id,
      role: "summary",
      label: fold ? "" : "retained",
      fate: "summary",
      tokensBefore: fold?.tokens_folded ?? 0,
      tokensAfter: item.tokens,
      before: "",
      after: excerptOf(text),
      ...(fold && { members: countMembers(fold, byId, folds) }),
    });
    if (fold) addMembers(fold, fold.id);
  }
  return rows;
}

const beforeOf = (source: Source) => ({
  id: source.id,
  role: source.role,
  label: source.label,
  tokensBefore: source.tokens,
  before: source.excerpt,
});

function fateOf(item: Item): Fate {
  return item.form === "cut" || item.form === "placeholder" || item.form === "shortened" ? item.form : "kept";
}

function countMembers(fold: FoldInfo, byId: Map<string, Source>, folds: Map<string, FoldInfo>): number {
  return fold.items.reduce((sum, id) => {
    const earlier = folds.get(id);
    return sum + (byId.has(id) ? 1 : 0) + (earlier ? countMembers(earlier, byId, folds) : 0);
  }, 0);
}
