// The engine's numbered lines, taken apart again for display.

export interface Line {
  /** Null: a note of the engine's, or the gap between two groups of matches. */
  number: number | null;
  text: string;
  match: boolean;
}

/** Lines of `toolOutputs.read`: the number, a tab, the line; at the end perhaps where to read on. */
export function readLines(answer: string): { lines: Line[]; next: number | null } {
  const rows = answer.split("\n");
  const note = /^\[.*read on(?: with|:) offset (\d+)\]$/.exec(rows.at(-1) ?? "");
  const lines = (note ? rows.slice(0, -1) : rows).map((row) => lineOf(row, /^ *(\d+)\t(.*)$/s));
  return { lines, next: note ? Number(note[1]) : null };
}

/** Lines of `toolOutputs.grep`: `12:` before a match, `11-` before a line around it. */
export function grepLines(answer: string): { lines: Line[]; note: string } {
  const rows = answer.split("\n");
  const note = rows.pop() ?? "";
  return {
    lines: rows.map((row) => ({ ...lineOf(row, /^(\d+)[:-](.*)$/s), match: /^\d+:/.test(row) })),
    note: note.replace(/^\[|\]$/g, ""),
  };
}

function lineOf(row: string, shape: RegExp): Line {
  const found = shape.exec(row);
  return found ? { number: Number(found[1]), text: found[2]!, match: false } : { number: null, text: row, match: false };
}
