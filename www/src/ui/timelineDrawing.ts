// The timeline's drawing of a range of calls: stacked areas, the axis, and marks.
//
// We draw SVG ourselves, 4.7 KB with brotli. uPlot 1.6 has 21.8 KB, Chart.js 4.6 with bars, lines and tooltips 50.8 KB; neither
// supports the marks, the keyboard, or areas that scale without being redrawn.

import type { Call, Outcome } from "../engine/protocol";
import { partNames } from "./parts";

export const WIDE = 1000;
export const HIGH = 210;
export const RECORDED_HIGH = 54;
/** Maximum number of bars. If there are more calls, each bar shows the largest of several calls. */
const BARS = 400;

/** A range of calls, from `from` up to but not including `to`. */
export interface Range {
  from: number;
  to: number;
}

/** Something that happened before a call. */
export interface Mark {
  call: number;
  kind: "fold" | "trim" | "break";
}

export interface Areas {
  /** Tokens of the whole height. */
  scale: number;
  names: string[];
  /** A path for each part. */
  paths: [string, string][];
}

/** The tokens of these calls, stacked by part. */
export function areasOf({ calls: all, limit }: Outcome, { from, to }: Range): Areas {
  const calls = all.slice(from, to);
  const largest = calls.reduce((most, call) => Math.max(most, call.tokens), 1);
  // Include the limit in the scale, unless no call comes near it.
  const scale = limit < largest * 3 ? Math.max(largest, limit) * 1.04 : largest * 1.15;
  const { bars, step } = barsOf(calls);
  const thick = step > 5 ? step - 1 : step;
  const names = partNames(...all.map((call) => call.parts)).filter((name) => all.some((call) => tokensOf(call, name) > 0));
  const paths = new Map(names.map((name) => [name, ""]));
  bars.forEach((call, i) => {
    let top = 0;
    for (const name of names) {
      const tokens = tokensOf(call, name);
      if (!tokens) continue;
      const below = HIGH - (top / scale) * HIGH;
      top += tokens;
      const above = HIGH - (top / scale) * HIGH;
      paths.set(name, `${paths.get(name)}M${fine(i * step)} ${fine(below)}h${fine(thick)}V${fine(above)}h${fine(-thick)}z`);
    }
  });
  return { scale, names, paths: [...paths] };
}

/** All calls as they were recorded, and under these settings, on the same scale. */
export function overviewOf({ calls, recorded }: Outcome): { recorded: string; now: string } {
  const { size, step, bars } = barsOf(calls);
  const most = Math.max(1, recorded.tokensLargest);
  const area = (tokens: (call: number) => number) => {
    let d = `M0 ${RECORDED_HIGH}`;
    for (let i = 0; i < bars.length; i++) d += `L${fine(i * step)} ${fine(RECORDED_HIGH - (tokens(Math.min(calls.length - 1, i * size)) / most) * RECORDED_HIGH)}h${fine(step)}`;
    return `${d}V${RECORDED_HIGH}z`;
  };
  return { recorded: area((call) => recorded.tokens[call] ?? 0), now: area((call) => calls[call]?.tokens ?? 0) };
}

/** Marks for what happened before these calls: at most one mark of each kind per bar. */
export function marksOf(calls: Call[], { from, to }: Range): Mark[] {
  const size = Math.max(1, Math.ceil((to - from) / BARS));
  const marks = new Map<string, Mark>();
  for (let at = from; at < to; at++) {
    const call = calls[at]!;
    const put = (kind: Mark["kind"]) => {
      const key = `${kind} ${Math.floor((at - from) / size)}`;
      if (!marks.has(key)) marks.set(key, { call: at, kind });
    };
    if (call.folded) put("fold");
    else if (call.decisions.length > 0) put("trim");
    if (call.lost > 0 && call.brokenBy) put("break");
  }
  return [...marks.values()];
}

/** The passes that decided something before a call. */
export const passesOf = (call: Call) => [...new Set(call.decisions.map(({ pass }) => pass))].join(", ");

/** About four round figures along the axis. */
export function ticksOf(scale: number): number[] {
  const rough = scale / 4;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((n) => n * size >= rough) ?? 10) * size;
  return Array.from({ length: Math.floor(scale / step) }, (_, i) => (i + 1) * step).filter((tokens) => tokens < scale * 0.97);
}

function barsOf(calls: Call[]): { bars: Call[]; size: number; step: number } {
  const size = Math.max(1, Math.ceil(calls.length / BARS));
  const bars = Array.from({ length: Math.ceil(calls.length / size) }, (_, i) =>
    calls.slice(i * size, (i + 1) * size).reduce((most, call) => (call.tokens > most.tokens ? call : most)),
  );
  return { bars, size, step: WIDE / Math.max(1, bars.length) };
}

const tokensOf = (call: Call, name: string) => call.parts.find((part) => part.name === name)?.tokens ?? 0;

const fine = (n: number) => +n.toFixed(1);
