// The history as a graph: a dot a message, a lane below for what was folded, and the folds that stand for it.

import { useMemo, useState } from "preact/hooks";
import type { Moment, Row } from "../engine/protocol";
import { count, plural } from "./numbers";

const GAP = 18;
const LANE = 64;
const TOP = 34;
/** More messages than this in a row of their own are drawn as one thicker stroke. */
const RUN = 24;

interface Dot {
  x: number;
  row: Row;
  /** How many messages it stands for. */
  size: number;
}

export function Graph({ moment, onGoTo }: { moment: Moment; onGoTo: (id: string) => void }) {
  const { lane, folded, folds, width } = useMemo(() => layout(moment.rows), [moment]);
  const [about, setAbout] = useState<string>("");
  const bottom = TOP + LANE;
  const inFolds = folded.reduce((sum, dot) => sum + dot.size, 0);
  const label = `The graph: ${plural(moment.rows.length - inFolds, "node")} in the view, ${plural(folds.length, "fold")} over ${plural(inFolds, "message")}.`;
  return (
    <section class="panel graph" aria-labelledby="graph-title">
      <div class="panel-head">
        <h2 id="graph-title">Folds and lanes</h2>
        <p class="quiet" aria-live="polite">
          {about || `${plural(folds.length, "fold")} over ${plural(inFolds, "message")}`}
        </p>
      </div>
      <div class="graph-scroll" tabIndex={0} role="group" aria-label={label}>
        <svg width={width} height={folds.length ? bottom + 36 : TOP + 30} role="img" aria-label={label}>
          <path class="graph-lane" d={`M12 ${TOP}H${width - 12}`} />
          <text x="12" y="14">
            the view
          </text>
          {folds.map(({ x, from, to, row }) => (
            <g key={row.id}>
              <path class="graph-fold" d={`M${from - 8} ${bottom - 14}v-6q0 -8 8 -8H${to}q8 0 8 8v6M${x} ${TOP + 9}V${bottom - 28}`} />
              <path class="graph-lane graph-hidden" d={`M${from} ${bottom}H${to}`} />
              <text x={from - 6} y={bottom + 26}>
                {row.id}: {plural(row.members ?? 0, "message")}, {count(row.tokensBefore)} → {count(row.tokensAfter)} tokens
              </text>
            </g>
          ))}
          {[...folded.map((dot): [Dot, number] => [dot, bottom]), ...lane.map((dot): [Dot, number] => [dot, TOP])].map(([dot, y]) => (
            <rect
              key={`${dot.row.id}-${y}`}
              class={`graph-dot role-${dot.row.role}${dot.row.pinned ? " graph-pinned" : ""}`}
              x={dot.x - (dot.size > 1 ? 7 : 5)}
              y={y - (dot.row.role === "summary" ? 9 : 5)}
              width={dot.size > 1 ? 14 : 10}
              height={dot.row.role === "summary" ? 18 : 10}
              rx={dot.row.role === "user" ? 1 : 5}
              onPointerEnter={() => setAbout(wordsOf(dot))}
              onPointerLeave={() => setAbout("")}
              onClick={() => onGoTo(dot.row.fold ?? dot.row.id)}
            >
              <title>{wordsOf(dot)}</title>
            </rect>
          ))}
        </svg>
      </div>
    </section>
  );
}

const wordsOf = ({ row, size }: Dot) =>
  size > 1 ? `${plural(size, "message")} from ${row.id} on` : `${row.id}, ${row.role}${row.label ? ` ${row.label}` : ""}: ${row.fate}, ${count(row.tokensBefore || row.tokensAfter)} tokens`;

function layout(rows: Row[]) {
  const lane: Dot[] = [];
  const folded: Dot[] = [];
  const folds: { x: number; from: number; to: number; row: Row }[] = [];
  const runs = Math.max(1, Math.ceil(rows.length / 1200));
  let x = 24;
  let behind = 24;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    if (row.fate === "folded") continue;
    const members = row.members ? rows.filter((other) => other.fold === row.id) : [];
    if (members.length === 0) {
      const last = lane.at(-1);
      if (runs > 1 && last && last.row.role === row.role && last.size < RUN * runs) last.size += 1;
      else {
        lane.push({ x, row, size: 1 });
        x += GAP;
      }
      continue;
    }
    // What it stands for is below it; a long run is thinned out, so that the view stays in sight.
    const size = Math.max(1, Math.ceil(members.length / RUN));
    const from = Math.max(x, behind);
    const dots = Array.from({ length: Math.ceil(members.length / size) }, (_, n) => ({
      x: from + n * GAP,
      row: members[n * size]!,
      size: Math.min(size, members.length - n * size),
    }));
    folded.push(...dots);
    const to = from + (dots.length - 1) * GAP;
    const middle = (from + to) / 2;
    lane.push({ x: middle, row, size: 1 });
    folds.push({ x: middle, from, to, row });
    behind = Math.max(to + GAP * 2, from + 290);
    x = middle + GAP;
  }
  return { lane, folded, folds, width: Math.max(x, behind) + 24 };
}
