// Errors in words for the visitor: what was wrong, and where.

import { ContextError } from "contextfold";
import { faultIn } from "./jsonFault";
import type { Trouble } from "./protocol";
import { TroubleError } from "./trouble";

/** Characters of a line that are shown before its fault, and in all. */
const BEFORE = 60;
const SHOWN = 120;

/** What any thrown value says to the visitor. */
export function troubleOf(thrown: unknown, title: string): Trouble {
  if (thrown instanceof TroubleError) return thrown.trouble;
  if (ContextError.isInstance(thrown)) return { title, detail: sentence(thrown.message), code: thrown.code };
  return { title, detail: sentence(thrown instanceof Error ? thrown.message : String(thrown)) };
}

/** What is wrong with this JSON, and where; `firstLine` is the line of the file at which it begins. */
export function jsonTrouble(text: string, title: string, firstLine = 1): Trouble {
  const { offset, why } = faultIn(text);
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  const lineEnd = text.indexOf("\n", offset);
  const column = offset - lineStart;
  const from = Math.max(0, column - BEFORE);
  const line = text.slice(lineStart, lineEnd < 0 ? undefined : lineEnd);
  return {
    title,
    detail: why,
    place: {
      line: firstLine + before.split("\n").length - 1,
      column: column + 1,
      excerpt: line.slice(from, from + SHOWN),
      caret: column - from,
    },
  };
}

function sentence(text: string): string {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?)]$/.test(upper) ? upper : `${upper}.`;
}
