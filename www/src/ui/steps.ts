// The visitor's actions, for undo and redo: settings, pins, and folds that were opened.

import type { Settings } from "../engine/protocol";

/** What the visitor looks at. */
export interface ViewState {
  settings: Settings;
  call: number;
  /** Folds that the visitor has opened in this view. */
  unfolded: string[];
}

interface Step {
  look: ViewState;
  /** A description of what was done then. */
  what: string;
  /** The settings that were changed, and when, so that all moves of a slider are one step. */
  keys: string;
  time: number;
}

export interface Steps {
  past: Step[];
  future: Step[];
}

export const NO_STEPS: Steps = { past: [], future: [] };

/** How many steps are remembered. */
const MAX_STEPS = 200;
/** Changes of the same setting within this many milliseconds of each other are one step. */
const MERGE_MS = 1_000;

/** Remembers what the visitor looked at before an action. */
export function recordStep({ past }: Steps, look: ViewState, what: string, keys = ""): Steps {
  const time = performance.now();
  const last = past.at(-1);
  if (keys && last?.keys === keys && time - last.time < MERGE_MS) return { past: [...past.slice(0, -1), { ...last, what, time }], future: [] };
  return { past: [...past.slice(-MAX_STEPS + 1), { look, what, keys, time }], future: [] };
}

/** Undoes a step. Returns what to look at then, and the new steps; `null` if there is nothing to undo. */
export function undone({ past, future }: Steps, now: ViewState): { look: ViewState; steps: Steps } | null {
  const step = past.at(-1);
  return step ? { look: step.look, steps: { past: past.slice(0, -1), future: [...future, { ...step, look: now, keys: "" }] } } : null;
}

export function redone({ past, future }: Steps, now: ViewState): { look: ViewState; steps: Steps } | null {
  const step = future.at(-1);
  return step ? { look: step.look, steps: { past: [...past, { ...step, look: now, keys: "" }], future: future.slice(0, -1) } } : null;
}

const NAMES: Record<keyof Settings, string> = {
  preset: "the ladder",
  window: "the context window",
  thresholdRatio: "the threshold",
  retainLastTurns: "the turns kept",
  outputBudget: "the budget of tool outputs",
  priceAs: "the price",
  pins: "a pin",
};

/** Describes which settings have changed. */
export function changeOf(before: Settings, after: Settings): { what: string; keys: string } {
  const keys = (Object.keys(NAMES) as (keyof Settings)[]).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  return { what: keys.map((key) => NAMES[key]).join(", "), keys: keys.includes("pins") ? "" : keys.join() };
}
