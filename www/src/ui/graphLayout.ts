// The layout of the graph: lanes from top to bottom, messages from left to right.

import type { FoldInfo } from "contextfold";
import type { Lane, Row } from "../engine/protocol";
import { isInView } from "./fates";

const GAP = 18;
const LANE = 64;
const TRACK = 30;
/** The x at which nodes begin, to the right of the lanes' names. */
const LEFT = 96;
/** A fold's messages are drawn as at most about this many dots. */
const RUN = 24;
/** If the view has more nodes than this, each dot is a run of several. */
const NODES = 600;

/** A message, or a run of them. */
export interface Dot {
  x: number;
  y: number;
  row: Row;
  /** How many messages it represents. */
  size: number;
}

/** A fold: the position of its summary, and the range of its messages in the lane below, which is `depth` folds deep. */
export interface Fold {
  id: string;
  x: number;
  from: number;
  to: number;
  depth: number;
  members: number;
  tokensBefore: number;
  tokensAfter: number;
}

/** A sub-agent's lane: it leaves the main lane at one message, and returns at another. */
export interface Branch {
  lane: Lane;
  x: number;
  y: number;
  width: number;
  from: Dot | undefined;
  to: Dot | undefined;
}

export interface Drawing {
  main: Dot[];
  hidden: Dot[];
  folds: Fold[];
  branches: Branch[];
  /** The heights of the lanes above and below. */
  top: number;
  bottom: number;
  /** The distance from a lane to the next one below it. */
  deep: number;
  width: number;
  height: number;
}

export function drawingOf(all: Row[], lanes: Lane[], infos: FoldInfo[]): Drawing {
  const foldOf = new Map(infos.map((fold) => [fold.id, fold]));
  const outer = new Map(infos.flatMap((fold) => fold.items.filter((id) => foldOf.has(id)).map((id) => [id, fold.id])));
  /** The folds that hold a row, the innermost first. */
  const holdersOf = (row: Row): string[] => {
    const holders: string[] = [];
    for (let id = row.within ?? row.fold; id !== undefined && !holders.includes(id); id = outer.get(id)) holders.push(id);
    return holders;
  };
  const rows = all.filter((row) => row.fate === "folded" || isInView(row));
  const main: Dot[] = [];
  const hidden: Dot[] = [];
  const folds: Fold[] = [];
  const byId = new Map<string, Dot>();
  const members = new Map<string, Row[]>();
  let folded = 0;
  for (const row of rows) {
    if (!row.fold) continue;
    folded += 1;
    const others = members.get(row.fold);
    if (others) others.push(row);
    else members.set(row.fold, [row]);
  }
  const runs = Math.max(1, Math.ceil((rows.length - folded) / NODES));
  let x = LEFT;
  let behind = LEFT;
  for (const row of rows) {
    if (row.fate === "folded") continue;
    const within = members.get(row.id) ?? [];
    if (within.length === 0) {
      const last = main.at(-1);
      if (last && last.size < runs && !last.row.members) last.size += 1;
      else {
        main.push({ x, y: 0, row, size: 1 });
        x += GAP;
      }
      byId.set(row.id, main.at(-1)!);
      continue;
    }
    // A summary: its messages are drawn below it. Many messages share dots, so that the view is not pushed out of sight.
    const size = Math.max(1, Math.ceil(within.length / RUN));
    const from = Math.max(x, behind);
    const dots: Dot[] = [];
    for (const member of within) {
      const last = dots.at(-1);
      if (last && last.size < size && last.row.within === member.within) last.size += 1;
      else dots.push({ x: from + dots.length * GAP, y: holdersOf(member).length - 1, row: member, size: 1 });
      byId.set(member.id, dots.at(-1)!);
    }
    hidden.push(...dots);
    const to = from + (dots.length - 1) * GAP;
    const middle = (from + to) / 2;
    main.push({ x: middle, y: 0, row, size: 1 });
    folds.push(...nestedIn(dots, holdersOf, foldOf));
    behind = Math.max(to + GAP * 2, from + 290);
    x = middle + GAP;
  }
  const branches = branchesOf(lanes, byId);
  const tracks = branches.reduce((most, branch) => Math.max(most, branch.y + 1), 0);
  const top = 24 + tracks * TRACK;
  for (const branch of branches) branch.y = top - (branch.y + 1) * TRACK;
  for (const dot of main) dot.y = top;
  for (const dot of hidden) dot.y = top + LANE * (dot.y + 1);
  const deepest = folds.reduce((most, fold) => Math.max(most, fold.depth + 1), 0);
  const right = branches.reduce((most, branch) => Math.max(most, branch.x + branch.width), 0);
  return { main, hidden, folds, branches, top, bottom: top + LANE, deep: LANE, width: Math.max(x, behind, right) + 24, height: top + (folds.length ? deepest * LANE + 36 : 26) };
}

/** The folds over these dots, the outermost first. Each spans its messages, with the summary in the middle. */
function nestedIn(dots: Dot[], holdersOf: (row: Row) => string[], foldOf: ReadonlyMap<string, FoldInfo>): Fold[] {
  const folds = new Map<string, Fold>();
  for (const dot of dots) {
    const holders = holdersOf(dot.row).reverse();
    for (const [depth, id] of holders.entries()) {
      const info = foldOf.get(id);
      const fold = folds.get(id) ?? { id, x: 0, from: dot.x, to: dot.x, depth, members: 0, tokensBefore: info?.tokens_folded ?? 0, tokensAfter: info?.tokens ?? 0 };
      fold.to = dot.x;
      fold.x = (fold.from + fold.to) / 2;
      fold.members += dot.size;
      folds.set(id, fold);
    }
  }
  return [...folds.values()];
}

/** Puts each lane into the lowest track that is free there; `y` is the track. */
function branchesOf(lanes: Lane[], byId: ReadonlyMap<string, Dot>): Branch[] {
  const ends: number[] = [];
  return lanes.map((lane) => {
    const [from, to] = [byId.get(lane.from ?? ""), byId.get(lane.to ?? "")];
    const x = (from?.x ?? LEFT) + 10;
    const width = Math.max((to?.x ?? 0) - x - 10, 30 + lane.name.length * 6.2);
    let track = ends.findIndex((end) => end < x);
    if (track < 0) track = ends.length;
    ends[track] = x + width + 14;
    return { lane, x, y: track, width, from, to };
  });
}
