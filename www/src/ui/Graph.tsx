// The history as a graph: one dot per message, lanes below for folded messages, and lanes above for sub-agents.

import { useMemo, useRef, useState } from "preact/hooks";
import type { Lane, Moment } from "../engine/protocol";
import { drawingOf, type Branch, type Dot } from "./graphLayout";
import { Words } from "./Words";
import { count, plural } from "./numbers";

interface Props {
  moment: Moment;
  lanes: Lane[];
  onGoTo: (id: string) => void;
}

/** The legend's roles of nodes, by the part whose colour they have. */
const ROLES = [["system", "System"], ["summary", "Summary: the messages that it stands for are in the lane below it, those of a fold within that fold one lane further down"], ["user", "User"], ["assistant", "Assistant"], ["tool", "Tool output"]] as const;

/** A stop of the arrow keys: a dot or a lane, with its description. */
interface Stop {
  key: string;
  x: number;
  y: number;
  words: string;
  go: () => void;
}

export function Graph({ moment, lanes, onGoTo }: Props) {
  const there = useMemo(() => {
    const ids = new Set(moment.rows.map((row) => row.id));
    return lanes.filter((lane) => lane.from === undefined || ids.has(lane.from)); // lanes that begin at later calls are not shown yet
  }, [moment, lanes]);
  const drawing = useMemo(() => drawingOf(moment.rows, there, moment.folds), [moment, there]);
  const { main, hidden, folds, branches, top, bottom, deep, width, height } = drawing;
  const [about, setAbout] = useState("");
  const [current, setCurrent] = useState<string | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const inFolds = hidden.reduce((sum, dot) => sum + dot.size, 0);
  const summary = [
    `${plural(main.reduce((sum, dot) => sum + dot.size, 0), "node")} in the view`,
    `${plural(folds.length, "fold")} over ${plural(inFolds, "message")}`,
    ...(there.length ? [plural(there.length, "sub-agent’s lane", "sub-agents’ lanes")] : []),
  ].join(", ");
  const stops = useMemo<Stop[]>(
    () => [
      ...branches.map((branch, i) => ({ key: `lane-${i}`, x: branch.x, y: branch.y, words: wordsOfLane(branch), go: () => branch.lane.from && onGoTo(branch.from?.row.fold ?? branch.lane.from) })),
      ...[...main, ...hidden].map((dot) => ({ key: keyOf(dot), x: dot.x, y: dot.y, words: wordsOf(dot), go: () => onGoTo(dot.row.fold ?? dot.row.id) })),
    ],
    [drawing, onGoTo],
  );
  const byKey = useMemo(() => new Map(stops.map((stop) => [stop.key, stop])), [stops]);
  const focused = current !== null && byKey.has(current) ? current : stops[0]?.key;

  const onKeyDown = (event: KeyboardEvent) => {
    const at = byKey.get((event.target as SVGElement).dataset.key ?? "");
    if (!at || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return at.go();
    }
    const to = nextOf(stops, at, event.key);
    if (!to) return;
    event.preventDefault();
    setCurrent(to.key);
    svg.current?.querySelector<SVGElement>(`[data-key="${CSS.escape(to.key)}"]`)?.focus();
  };
  const stop = (key: string) => {
    const { words = "", go = () => {} } = byKey.get(key) ?? {};
    return {
      "data-key": key,
      role: "button",
      tabindex: key === focused ? 0 : -1, // in lower case, because `tabIndex` is not an attribute in SVG
      "aria-label": words,
      onPointerEnter: () => setAbout(words),
      onPointerLeave: () => setAbout(""),
      onFocus: () => (setAbout(words), setCurrent(key)),
      onBlur: () => setAbout(""),
      onClick: go,
    } as const;
  };

  return (
    <section class="panel graph" aria-labelledby="graph-title">
      <div class="panel-head">
        <h2 id="graph-title">Folds and lanes</h2>
        <p class="quiet">{about || summary}</p>
      </div>
      <div class="graph-scroll">
        <svg ref={svg} width={width} height={height} role="group" aria-label={`The graph: ${summary}. Arrow keys go from node to node.`} onKeyDown={onKeyDown}>
          <g aria-hidden="true">
            <text class="graph-name" x="12" y={top + 4}>
              main lane
            </text>
            {branches.length > 0 && (
              <text class="graph-name" x="12" y={top - 26}>
                sub-agents
              </text>
            )}
            {folds.length > 0 && (
              <text class="graph-name" x="12" y={bottom + 4}>
                folded
              </text>
            )}
            <path class="graph-lane" d={`M84 ${top}H${width - 12}`} />
            {branches.map(({ x, y, width, from, to }, i) => (
              <path key={i} class="graph-branch" d={`${from ? `M${from.x} ${from.y}C${from.x} ${y + 12} ${from.x} ${y} ${x} ${y}` : ""}${to ? `M${x + width} ${y}C${Math.max(to.x, x + width)} ${y} ${to.x} ${y + 8} ${to.x} ${to.y}` : ""}`} />
            ))}
            {folds.map(({ id, x, from, to, depth }) => {
              const y = bottom + depth * deep;
              return (
                <g key={id}>
                  <path class="graph-fold" d={`M${from - 8} ${y - 14}v-6q0 -8 8 -8H${to}q8 0 8 8v6M${x} ${depth === 0 ? top + 9 : y - deep + 9}V${y - 28}`} />
                  {depth > 0 && <circle class="graph-inner" cx={x} cy={y - deep} r={6} />}
                  <path class="graph-lane graph-hidden" d={`M${from} ${y}H${to}`} />
                </g>
              );
            })}
            {folds.map(({ id, from, depth, members, tokensBefore, tokensAfter }) => (
              <text key={`${id} words`} x={from - 6} y={bottom + depth * deep + 26}>
                {id}: {plural(members, "message")}, {count(tokensBefore)} → {count(tokensAfter)} tokens
              </text>
            ))}
          </g>
          {branches.map(({ lane, x, y, width }, i) => (
            <g key={`lane-${i}`} class="graph-pill" {...stop(`lane-${i}`)}>
              <rect x={x} y={y - 10} width={width} height={20} rx={10} />
              <text x={x + 10} y={y + 4} aria-hidden="true">
                {lane.name}
              </text>
            </g>
          ))}
          {[...main, ...hidden].map((dot) => (
            <rect
              key={keyOf(dot)}
              class={`graph-dot role-${dot.row.role}${dot.row.pinned ? " graph-pinned" : ""}`}
              x={dot.x - (dot.size > 1 ? 7 : 5)}
              y={dot.y - (dot.row.role === "summary" ? 9 : 5)}
              width={dot.size > 1 ? 14 : 10}
              height={dot.row.role === "summary" ? 18 : 10}
              rx={dot.row.role === "user" ? 1 : 5}
              {...stop(keyOf(dot))}
            />
          ))}
        </svg>
      </div>
      <ul class="legend-line" aria-label="Nodes">
        {ROLES.filter(([role]) => moment.rows.some((row) => row.role === role)).map(([role, name]) => (
          <li key={role}>
            <i style={{ background: `var(--part-${role === "tool" ? "tool-outputs" : role})` }} /> {name}
          </li>
        ))}
      </ul>
      <Words of={there.length ? ["fold", "lane"] : ["fold"]} />
    </section>
  );
}

const keyOf = ({ row }: Dot) => (row.fate === "folded" ? `folded-${row.id}` : row.id);

const wordsOf = ({ row, size }: Dot) =>
  size > 1 ? `${plural(size, "message")} from ${row.id} on` : `${row.id}, ${row.role}${row.label ? ` ${row.label}` : ""}: ${row.fate}, ${count(row.tokensBefore || row.tokensAfter)} tokens`;

const wordsOfLane = ({ lane }: Branch) => `${lane.name}: a sub-agent’s lane, ${plural(lane.messages, "message")}, ${count(lane.tokens)} tokens${lane.from ? `, called by ${lane.from}` : ""}`;

/** Left and right move along a lane, up and down to the nearest node of the next lane. */
function nextOf(stops: Stop[], at: Stop, key: string): Stop | undefined {
  const nearest = (list: Stop[]) => list.reduce<Stop | undefined>((best, stop) => (!best || Math.abs(stop.x - at.x) < Math.abs(best.x - at.x) ? stop : best), undefined);
  const lane = stops.filter((stop) => stop.y === at.y);
  switch (key) {
    case "ArrowRight":
      return nearest(lane.filter((stop) => stop.x > at.x));
    case "ArrowLeft":
      return nearest(lane.filter((stop) => stop.x < at.x));
    case "Home":
      return lane[0];
    case "End":
      return lane.at(-1);
    case "ArrowUp":
    case "ArrowDown": {
      const beyond = stops.filter((stop) => (key === "ArrowUp" ? stop.y < at.y : stop.y > at.y));
      const next = beyond.reduce((best, { y }) => (Math.abs(y - at.y) < Math.abs(best - at.y) ? y : best), Infinity);
      return nearest(beyond.filter((stop) => stop.y === next));
    }
    default:
      return undefined;
  }
}
