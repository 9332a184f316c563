// What the benchmarks said last, as scripts/peers.mjs took it out of the documents.

import all from "./recorded.json";

export interface Run {
  id: string;
  /** The command that measures it anew. */
  run: string;
  /** The document that has it. */
  source: string;
  date: string;
  /** `null`: nothing in it is timed, or it was not written down. */
  machine: { cpus: number; node: string | null } | null;
  versions: Record<string, string>;
  columns: string[];
  rows: string[][];
}

export function runOf(id: string): Run {
  const found = (all as unknown as Run[]).find((run) => run.id === id);
  if (!found) throw new Error(`no run is recorded as ${id}`);
  return found;
}

/** The first figure of a cell: `2.31, 0.94` is 2.31, `.76 [.51, .96]` is 0.76; `null` where it has none. */
export function figureOf(cell: string): number | null {
  const found = /^[−-]?[\d,]*\.?\d+/.exec(cell);
  return found ? Number(found[0].replace("−", "-").replaceAll(",", "")) : null;
}

/** The interval in brackets, where there is one. */
export function intervalOf(cell: string): [number, number] | null {
  const found = /\[(\S+), (\S+)\]/.exec(cell);
  if (!found) return null;
  const [low, high] = found.slice(1).map((text) => Number(text.replace("−", "-")));
  return [low!, high!];
}
