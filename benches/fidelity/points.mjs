// Points at which an agent is asked what it still knows: places before an assistant message of a recorded session.

import { random, shuffled } from "../tokens/generate.mjs";

/** Tokens before a point: enough to cut, and few enough for a small model. */
export const SIZES = { least: 1_800, most: 5_600, gap: 900, message: 15 };
/** In a long session each episode that begins with a user message is a session of its own. The next may begin this many tokens later. */
const EPISODE = 4_000;

/** Splits messages into steps: a user message, or an assistant message with the outputs of its calls. */
export function steps(messages) {
  const out = [];
  for (const m of messages) if (m.role === "tool" && out.length) out.at(-1).push(m); else out.push([m]);
  return out;
}

/** Header, newest user message, last step: what every policy keeps. */
export function least(messages) {
  const header = headerOf(messages);
  const rest = steps(messages.slice(header.length));
  const user = rest.findLastIndex(([m]) => m.role === "user");
  return [...header, ...rest.filter((_, i) => i === user || i === rest.length - 1).flat()];
}

export function headerOf(messages) {
  const end = messages.findIndex((m) => m.role !== "system");
  return messages.slice(0, end < 0 ? messages.length : end);
}

/** The tokens that a view may take: the least, and a share of the rest. A `share` above 1 is a number of tokens. */
export function budgetOf(point, share, count) {
  if (share > 1) return share;
  const none = count.list(point.none);
  return none + Math.floor(share * (count.list(point.full) - none));
}

/** Every point of a recording: { name, at, from, full, none, next }. */
export function candidates({ name, group, messages }, count, sizes = SIZES) {
  const header = headerOf(messages);
  const out = [];
  const begin = count.list(header);
  let from = header.length;
  let used = begin;
  for (let at = from; at < messages.length; at++) {
    const m = messages[at];
    if (m.role === "user" && used - begin > EPISODE) {
      from = at;
      used = begin;
    }
    if (m.role === "assistant" && used >= sizes.least && used <= sizes.most && count.message(m) >= sizes.message) {
      const full = [...header, ...messages.slice(from, at)];
      const none = least(full);
      if (used - count.list(none) >= sizes.gap) out.push({ name, group, at, from, full, none, next: m });
    }
    used += count.message(m);
  }
  return out;
}

/** Points that are too far into a session for a small model to read: everything before them belongs to the view. */
export function longCandidates({ name, group, messages }, count, { least: fewest, message, own }) {
  const header = headerOf(messages);
  const out = [];
  let used = count.list(header);
  for (let at = header.length; at < messages.length; at++) {
    const m = messages[at];
    if (m.role === "assistant" && used >= fewest && count.message(m) >= message) {
      const full = messages.slice(0, at);
      const none = least(full);
      if (count.list(none) <= own) out.push({ name, group, at, from: 0, full, none, next: m });
    }
    used += count.message(m);
  }
  return out;
}
/** At least this many tokens before a point, and in its message; at most `own` tokens for what every policy keeps. */
export const LONG = { least: 60_000, message: 15, own: 2_000 };

/** `n` points of a group: first one of each recording, in an order given by the seed, then a second one of each, and so on. */
export function choose(lists, n, seed) {
  const next = random(seed);
  const piles = shuffled(lists.filter((list) => list.length), next).map((list) => shuffled(list, next));
  const out = [];
  for (let round = 0; out.length < n && piles.some((pile) => pile.length > round); round++)
    for (const pile of piles) if (pile[round] && out.length < n) out.push(pile[round]);
  return out;
}
