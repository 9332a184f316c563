// Makes the before-and-after list: one row per message, with the folded messages under their fold.

import type { FoldInfo, Item, LeftOutNow, Message } from "contextfold";
import type { SentRow, Source } from "./protocol";
import { callName, excerptOf, textOf } from "./text";

/** The messages of the history, with their original tokens. */
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

/** The session's state after a run. */
export interface After {
  items: Item[];
  view: Message[];
  folds: FoldInfo[];
  leftOut: Missing[];
}

/** The engine's information on a message that was changed or left out, and since which call. */
export type Missing = LeftOutNow & { since?: number };

/**
 * Makes a row for every message of the history, and one for each that the engine inserted, in the view's order: folded messages come
 * right after their summary, and dropped messages at their original positions. `places`: the indexes of the sources, by id.
 */
export function rowsOf(places: ReadonlyMap<string, number>, after: After): SentRow[] {
  const view = new Map(after.view.map((message) => [message.id, message]));
  const folds = new Map(after.folds.map((fold) => [fold.id, fold]));
  const missing = new Map(after.leftOut.map((line) => [line.id, line]));
  const rows: SentRow[] = [];

  const standsOut = (id: string) => {
    const { why, pass, since, back } = missing.get(id) ?? {};
    return why && { why, pass, since, back };
  };
  const addMembers = (fold: FoldInfo, top: string) => {
    for (const id of fold.items) {
      const earlier = folds.get(id);
      if (earlier) addMembers(earlier, top);
      const source = places.get(id);
      if (source !== undefined) rows.push({ id, source, fate: "folded", tokensAfter: 0, after: "", fold: top, ...(fold.id !== top && { within: fold.id }), ...standsOut(id) });
    }
  };
  // Messages that are neither in the view nor in a fold. Each is inserted at its original position: before the first later message.
  const inView = new Set(after.items.map(({ id }) => id));
  const gone = after.leftOut.filter(({ id, state }) => state !== "folded" && !inView.has(id) && places.has(id)).reverse();
  const addGoneBefore = (place: number) => {
    for (let next = gone.at(-1); next && places.get(next.id)! < place; next = gone.at(-1)) {
      rows.push({ id: next.id, source: places.get(next.id), fate: next.state, tokensAfter: 0, after: "", ...standsOut(next.id) });
      gone.pop();
    }
  };
  const placeOf = (id: string): number | undefined => places.get(id) ?? folds.get(id)?.items.map(placeOf).find((place) => place !== undefined);

  for (const item of after.items) {
    const message = view.get(item.id);
    addGoneBefore(placeOf(item.id) ?? 0);
    const source = places.get(item.id);
    if (source !== undefined) {
      const fate = missing.get(item.id)?.state ?? "kept";
      const after = fate === "kept" || !message ? "" : excerptOf(textOf(message));
      rows.push({ id: item.id, source, fate, tokensAfter: item.tokens, after, ...(item.pinned && { pinned: true }), ...standsOut(item.id), ...outputOf(message) });
      continue;
    }
    // Inserted by the engine: a summary, or what the model asked to retain next to it.
    const fold = folds.get(item.id);
    rows.push({
      id: item.id,
      role: "summary",
      label: fold ? "" : "retained",
      fate: "summary",
      tokensBefore: fold?.tokens_folded ?? 0,
      tokensAfter: item.tokens,
      before: "",
      after: message ? excerptOf(textOf(message)) : "",
      ...(fold && { members: countMembers(fold, places, folds) }),
    });
    if (fold) addMembers(fold, fold.id);
  }
  addGoneBefore(Infinity);
  return rows;
}

function outputOf(message: Message | undefined) {
  const kept = message?.role === "tool" ? message.output_ref : undefined;
  return kept && { ref: kept.id, lines: kept.line_count, bytes: kept.byte_size };
}

function countMembers(fold: FoldInfo, places: ReadonlyMap<string, number>, folds: ReadonlyMap<string, FoldInfo>): number {
  return fold.items.reduce((sum, id) => {
    const earlier = folds.get(id);
    return sum + (places.has(id) ? 1 : 0) + (earlier ? countMembers(earlier, places, folds) : 0);
  }, 0);
}
