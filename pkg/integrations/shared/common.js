// Compares a list with a known conversation, entry by entry. What matters is what a model reads, not how an SDK writes it.

import { readsSame } from "contextfold";
import { isInstruction } from "./header.js";

/** This many messages at the end of a known list may differ: a removed reminder, an edited message, a regenerated answer. */
const MAX_REWRITTEN = 2;

/**
 * Finds out how a list continues a conversation: it begins like the last list that came in, or like the last view that was returned,
 * which some SDKs carry forward. `undefined` if they have nothing in common. Instructions at the beginning are the header, which may
 * differ.
 *
 * @returns `entries`: how many entries of the conversation the list begins with; `rewritten`: how many of the conversation's last
 * entries are not in it; `isTheSame`: the list certainly belongs to this conversation
 */
export function continuation({ fullList, view }, list, format) {
  const inFullList = commonPrefix(fullList, list, format, new Map());
  const asFullList = inFullList && { of: "fullList", ...inFullList, entries: inFullList.common };
  const inView = view === fullList ? undefined : commonPrefix(view, list, format);
  // The rewritten entries at the view's end must also be the last entries of the whole list; only then do we know what was rewritten.
  const endsAlike = inView && view.slice(view.length - inView.rewritten).every((entry, i) => entry === fullList[fullList.length - inView.rewritten + i]);
  const asView = endsAlike ? { of: "view", ...inView, entries: bodyOf(fullList).length - inView.rewritten } : undefined;
  const found = asView && (!asFullList || asView.entries > asFullList.entries) ? asView : asFullList;
  const rewritten = found && messagesIn(fullList.slice(fullList.length - found.rewritten));
  return found && { ...found, isTheSame: rewritten === 0 || (rewritten <= MAX_REWRITTEN && messagesIn(bodyOf(fullList).slice(0, found.entries)) > rewritten) };
}

/** How many messages the entries are. An answer may be several entries (items, or the chunks of a stream), and so may its tool outputs. */
const messagesIn = (entries) => entries.filter((entry, i) => entry?.role === "user" || speakerOf(entry) !== speakerOf(entries[i - 1])).length;

/** Who made an entry. Items of the Responses API have no role, unless they are messages. */
const speakerOf = (entry) => entry?.role ?? (entry?.type?.endsWith("_output") ? "tool" : entry && "assistant");

/**
 * The whole list: if `list` begins with our view, the original entries are put back. Unchanged entries keep the objects by which they
 * are known.
 */
export function fullListAfter({ fullList, view }, list, found) {
  if (!found) return list;
  const before = found.of === "view" ? view : fullList;
  const here = (i) => list[found.listAt + i];
  const header = list.slice(0, found.listAt).map((entry, i) => (isInstruction(before[i]) && isWrittenSame(before[i], entry) ? before[i] : entry));
  const rest = list.slice(found.listAt + found.common);
  if (found.of === "fullList") {
    const common = Array.from({ length: found.common }, (_, i) => (isWrittenSame(before[found.at + i], here(i)) ? before[found.at + i] : here(i)));
    return [...header, ...common, ...rest];
  }
  const body = bodyOf(fullList);
  const newer = new Map(Array.from({ length: found.common }, (_, i) => [before[found.at + i], here(i)]).filter(([was, is]) => !isWrittenSame(was, is)));
  const common = body.slice(0, body.length - found.rewritten).map((entry) => newer.get(entry) ?? entry);
  return [...header, ...common, ...rest];
}

/**
 * How far a list is the same as before, not counting the instructions at the beginning of both; `undefined` if nothing is. With
 * `calls` (a map of open calls), the calls may have other ids than before. In a view they may not, because the original entries that
 * replace the view's entries have the known ids.
 */
function commonPrefix(before, list, format, calls) {
  const [at, listAt] = [headOf(before), headOf(list)];
  let common = 0;
  while (at + common < before.length && listAt + common < list.length && isSame(before[at + common], list[listAt + common], format, calls)) common += 1;
  return common > 0 ? { at, listAt, common, rewritten: before.length - at - common } : undefined;
}

function headOf(list) {
  const end = list.findIndex((entry) => !isInstruction(entry));
  return end < 0 ? list.length : end;
}

const bodyOf = (list) => list.slice(headOf(list));

const texts = new WeakMap();

function textOf(entry) {
  if (typeof entry !== "object" || entry === null) return JSON.stringify(entry);
  let text = texts.get(entry);
  if (text === undefined) texts.set(entry, (text = JSON.stringify(entry)));
  return text;
}

/** Whether two entries are the same JSON. */
export function isWrittenSame(one, other) {
  if (Object.is(one, other)) return true;
  try {
    return textOf(one) === textOf(other);
  } catch {
    return false; // a cycle or a BigInt: a different entry, and the engine reports what is wrong with it
  }
}

function isSame(one, other, format, calls) {
  if (!calls?.size && isWrittenSame(one, other)) return true;
  if (one?.role !== other?.role) return false;
  try {
    return readsSame(format, one, other, calls);
  } catch {
    return false;
  }
}
