// The latest results of the benchmarks, which scripts/peers.mjs extracts from the documents.

import all from "./recorded.json";

export interface Run {
  id: string;
  /** The command that measures it again. */
  run: string;
  /** The document with the results. */
  source: string;
  date: string;
  /** `null` if no times are measured, or the machine was not recorded. */
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

/** The first figure of a cell: 2.31 of `2.31, 0.94`, 0.76 of `.76 [.51, .96]`; `null` if there is none. */
export function figureOf(cell: string): number | null {
  const found = /^[−-]?[\d,]*\.?\d+/.exec(cell);
  return found ? Number(found[0].replace("−", "-").replaceAll(",", "")) : null;
}

/** The interval in brackets; `null` if there is none. */
export function intervalOf(cell: string): [number, number] | null {
  const found = /\[(\S+), (\S+)\]/.exec(cell);
  if (!found) return null;
  const [low, high] = found.slice(1).map((text) => Number(text.replace("−", "-")));
  return [low!, high!];
}
