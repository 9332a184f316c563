// Parses the engine's numbered lines for display.

export interface Line {
  /** Null for a note of the engine, or for the gap between two groups of matches. */
  number: number | null;
  text: string;
  match: boolean;
}

/** Parses the answer of `toolOutputs.read`: on each line the number, a tab, the text; at the end possibly the offset to read on at. */
export function readLines(answer: string): { lines: Line[]; next: number | null } {
  const rows = answer.split("\n");
  const note = /^\[.*read on(?: with|:) offset (\d+)\]$/.exec(rows.at(-1) ?? "");
  const lines = (note ? rows.slice(0, -1) : rows).map((row) => lineOf(row, /^ *(\d+)\t(.*)$/s));
  return { lines, next: note ? Number(note[1]) : null };
}

/** Parses the answer of `toolOutputs.grep`: `12:` before a match, `11-` before a context line. */
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
