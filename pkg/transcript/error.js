// The error for a file that is not a transcript: what is wrong, where, and what can still be read.

export class TranscriptError extends Error {
  name = "TranscriptError";

  /**
   * @param {"empty" | "broken" | "foreign"} kind the file is empty; not JSON; JSON, but not a transcript
   * @param {string} what what is wrong, as the end of the sentence "the file …"
   * @param {object} [more] `place`: where (`line` and `column` from 1, and the text around it); `readable`: how many entries can
   *   still be read; `partial`: reads them
   */
  constructor(kind, what, { place = null, readable = 0, partial = null } = {}) {
    super(`the file ${what}`);
    this.kind = kind;
    this.what = what;
    this.place = place;
    this.readable = readable;
    this.partial = partial;
  }
}

/** How many characters of a line are shown before its fault, and in all. */
const BEFORE = 60;
const SHOWN = 120;

/** A position in a text, with the text around it. `firstLine`: the line of the file at which the text begins. */
export function placeIn(text, { line, column, what }, firstLine = 1) {
  let start = 0;
  for (let passed = 1; passed < line; passed++) start = text.indexOf("\n", start) + 1;
  const end = text.indexOf("\n", start);
  const from = Math.max(0, column - 1 - BEFORE);
  const whole = text.slice(start + from, Math.min(end < 0 ? text.length : end, start + from + SHOWN));
  return { line: firstLine + line - 1, column, what, excerpt: whole, caret: column - 1 - from };
}
