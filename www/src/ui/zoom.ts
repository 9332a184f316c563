// The calls that the timeline shows: all of them, or a range that follows the current call.

import { useState } from "preact/hooks";
import type { Range } from "./timelineDrawing";

/** The smallest range, in calls. */
const MIN_CALLS = 5;

export interface Zoom {
  range: Range;
  isWhole: boolean;
  canZoomIn: boolean;
  /** Zooms in by this factor (out if it is below 1), with the current call in the middle. */
  by: (factor: number) => void;
  /** Shows these calls. */
  to: (range: Range) => void;
  whole: () => void;
}

export function useZoom(calls: number, call: number): Zoom {
  const [wanted, setWanted] = useState<Range | null>(null);
  const range = shown(wanted, calls, call);
  const size = range.to - range.from;
  const to = ({ from, to }: Range) => {
    const wide = Math.max(MIN_CALLS, to - from);
    setWanted(wide >= calls ? null : within({ from, to: from + wide }, calls));
  };
  return {
    range,
    isWhole: size === calls,
    canZoomIn: size > MIN_CALLS,
    by: (factor) => {
      const wide = Math.max(MIN_CALLS, Math.round(size / factor));
      const from = Math.round(call - wide / 2);
      to({ from, to: from + wide });
    },
    to,
    whole: () => setWanted(null),
  };
}

/** The wanted range, moved so that it contains the current call. */
function shown(wanted: Range | null, calls: number, call: number): Range {
  if (!wanted || wanted.to - wanted.from >= calls) return { from: 0, to: calls };
  const size = wanted.to - wanted.from;
  const at = Math.min(call, calls - 1);
  const range = within(wanted, calls);
  if (at < range.from) return within({ from: at, to: at + size }, calls);
  if (at >= range.to) return within({ from: at + 1 - size, to: at + 1 }, calls);
  return range;
}

/** A range of the same size, moved into the range of all calls. */
function within({ from, to }: Range, calls: number): Range {
  const size = Math.min(calls, to - from);
  const begin = Math.max(0, Math.min(calls - size, from));
  return { from: begin, to: begin + size };
}
