// A plain version of the even cut, which the package's own policy is compared with. Makes a view of at most `budget` tokens in
// which nothing is reordered and every call has its outputs.
//
// 1. Whole: header, newest user message, last step. 2. Whole: the answer that precedes the newest user message, in at most 80 % of
// the room that is left; then the newest steps, until 50 % of it are taken. 3. All other steps in their places, cut to one level:
// outputs and strings in arguments to N tokens, the assistant's texts to 2 N, the user's to 3 N, the largest N that fits.
// 4. If the lowest level does not fit: newest first; smaller older steps may still be kept.

import { headerOf, steps } from "./points.mjs";

export const LEVELS = { least: 24, most: 400, text: 2, user: 3, answered: 0.8, whole: 0.5 };

/** Head and tail of a text, 60 : 40, about `level` tokens. A text that is only a little longer stays whole: the mark costs tokens, too. */
export function cutText(text, level, count, around = "\n") {
  const all = count.text(text);
  if (all <= level * 1.25 + 12) return text;
  const perToken = text.length / all;
  let head = Math.floor(level * 0.6 * perToken);
  let tail = text.length - Math.floor(level * 0.4 * perToken);
  const before = text.lastIndexOf("\n", head);
  const behind = text.indexOf("\n", tail);
  if (before > head * 0.7) head = before;
  if (behind > 0 && behind < tail + (text.length - tail) * 0.3) tail = behind + 1;
  return `${text.slice(0, head).toWellFormed?.() ?? text.slice(0, head)}${around}[… ${all - level} tokens left out …]${around}${text.slice(tail).toWellFormed?.() ?? text.slice(tail)}`;
}

function cutValue(value, level, count) {
  if (typeof value === "string") return cutText(value, level, count, "");
  if (Array.isArray(value)) return value.map((v) => cutValue(v, level, count));
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, cutValue(v, level, count)]));
  return value;
}

function cutArguments(text, level, count) {
  try {
    return JSON.stringify(cutValue(JSON.parse(text), level, count));
  } catch {
    return text;
  }
}

export function cutMessage(m, level, count) {
  if (m.role === "tool") return { ...m, content: cutText(m.content, level, count) };
  if (m.role === "user") return { ...m, content: cutText(m.content, LEVELS.user * level, count) };
  const content = cutText(m.content ?? "", LEVELS.text * level, count);
  if (!m.tool_calls) return { ...m, content };
  const cut = (c) => ({ ...c, function: { ...c.function, arguments: cutArguments(c.function.arguments, level, count) } });
  return { ...m, content, tool_calls: m.tool_calls.map(cut) };
}

export function evenCut(messages, budget, count) {
  const header = headerOf(messages);
  const all = steps(messages.slice(header.length));
  const size = (step) => count.list(step);
  const last = all.length - 1;
  const user = all.findLastIndex(([m]) => m.role === "user");
  const kept = new Map([last, user].filter((i) => i >= 0).map((i) => [i, all[i]]));
  const room = budget - size(header) - [...kept.values()].reduce((sum, step) => sum + size(step), 0);

  let used = 0;
  const whole = (i, share) => {
    if (used + size(all[i]) > room * share) return false;
    kept.set(i, all[i]);
    used += size(all[i]);
    return true;
  };
  for (let i = user - 1; i >= 0; i--) if (!whole(i, LEVELS.answered) || all[i][0].role === "user") break;
  for (let i = last - 1; i >= 0; i--) if (!kept.has(i) && !whole(i, LEVELS.whole)) break;

  const rest = all.map((_, i) => i).filter((i) => !kept.has(i)).reverse();
  const cut = (i, level) => all[i].map((m) => cutMessage(m, level, count));
  let { least: low, most: high } = LEVELS;
  while (low < high) {
    const level = (low + high + 1) >> 1;
    if (used + rest.reduce((sum, i) => sum + size(cut(i, level)), 0) <= room) low = level; else high = level - 1;
  }
  for (const i of rest) {
    const step = cut(i, low);
    if (used + size(step) > room) continue;
    kept.set(i, step);
    used += size(step);
  }
  return [...header, ...all.flatMap((_, i) => kept.get(i) ?? [])];
}

/** The newest whole steps after header and newest user message. */
export function newest(messages, budget, count) {
  const header = headerOf(messages);
  const all = steps(messages.slice(header.length));
  const user = all.findLastIndex(([m]) => m.role === "user");
  const kept = new Set([user, all.length - 1]);
  let used = count.list(header) + [...kept].reduce((sum, i) => sum + (i < 0 ? 0 : count.list(all[i])), 0);
  for (let i = all.length - 2; i >= 0; i--) {
    if (kept.has(i)) continue;
    used += count.list(all[i]);
    if (used > budget) break;
    kept.add(i);
  }
  return [...header, ...all.filter((_, i) => kept.has(i)).flat()];
}
