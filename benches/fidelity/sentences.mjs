// The sentences of a user's message, as they were labelled. Uses none of the engine's code, so that a change there moves no label.

import { createHash } from "node:crypto";

const FENCE = /^\s*(```|~~~)/;
const END = /(?<=[.!?]["')*_]*)\s+(?=["'(*_`-]*[\p{L}\d])|(?<=[。！？])/u;
const MARK = /^\s*(?:[-*•]|\d+[.)])\s+/;

/** The sentences in order, each on one line. Code fences are skipped. */
export function sentences(text) {
  const out = [];
  let fenced = false;
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) fenced = !fenced;
    else if (!fenced) for (const part of line.replace(MARK, "").split(END)) out.push(flat(part));
  }
  return out.filter((s) => /\p{L}/u.test(s));
}

export const flat = (text) => text.split(/\s+/).filter(Boolean).join(" ");

/** The hash under which a sentence's label is stored. The sentence itself is never in the repository. */
export const key = (sentence) => createHash("sha256").update(sentence).digest("hex").slice(0, 16);
