// What a list has in common with a conversation, entry by entry: what a model reads counts, not how an SDK writes it.

import { readsSame } from "contextfold";
import { isInstruction } from "./header.js";

/** This many entries at the end may differ: a removed reminder, an edited message, a regenerated answer. */
const REWRITTEN = 2;

/**
 * How a list goes on with a conversation: with the list as it came in before, or with the view that was handed out last, which
 * some SDKs carry forward. `undefined` where they have nothing in common. Instructions at the beginning are the header: they may
 * be others.
 *
 * @returns `entries`: how many of the conversation's the list begins with; `rewritten`: how many of its last are others;
 * `isTheSame`: the list can only be this conversation's
 */
export function goesOn({ whole, view }, list, format) {
  const inWhole = along(whole, list, format, new Map());
  const asWhole = inWhole && { of: "whole", ...inWhole, entries: inWhole.common };
  const inView = view === whole ? undefined : along(view, list, format);
  // What stands at the view's end has to be what stands at the list's: only then is it known what was rewritten.
  const stands = inView && view.slice(view.length - inView.rewritten).every((entry, i) => entry === whole[whole.length - inView.rewritten + i]);
  const asView = stands ? { of: "view", ...inView, entries: bodyOf(whole).length - inView.rewritten } : undefined;
  const found = asView && (!asWhole || asView.entries > asWhole.entries) ? asView : asWhole;
  return found && { ...found, isTheSame: found.rewritten === 0 || (found.rewritten <= REWRITTEN && found.entries > found.rewritten) };
}

/** The list with what stood in place of its beginning put back. Entries that are written as before keep the objects by which they are known. */
export function wholeAfter({ whole, view }, list, found) {
  if (!found) return list;
  const before = found.of === "view" ? view : whole;
  const here = (i) => list[found.listAt + i];
  const header = list.slice(0, found.listAt).map((entry, i) => (isInstruction(before[i]) && isWrittenSame(before[i], entry) ? before[i] : entry));
  const rest = list.slice(found.listAt + found.common);
  if (found.of === "whole") {
    const common = Array.from({ length: found.common }, (_, i) => (isWrittenSame(before[found.at + i], here(i)) ? before[found.at + i] : here(i)));
    return [...header, ...common, ...rest];
  }
  const body = bodyOf(whole);
  const newer = new Map(Array.from({ length: found.common }, (_, i) => [before[found.at + i], here(i)]).filter(([was, is]) => !isWrittenSame(was, is)));
  const common = body.slice(0, body.length - found.rewritten).map((entry) => newer.get(entry) ?? entry);
  return [...header, ...common, ...rest];
}

/**
 * How far a list is the same as before, after the instructions at the beginning of both; `undefined` if nothing is. With `calls`
 * (the waiting ones), calls may have other ids. In a view they may not, because what replaces its entries has the known ids.
 */
function along(before, list, format, calls) {
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

function isWrittenSame(one, other) {
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
