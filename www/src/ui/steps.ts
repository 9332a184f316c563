// What the visitor did, to be undone and done again: settings, pins, and folds that were opened by hand.

import type { Settings } from "../engine/protocol";

/** What is looked at. */
export interface Look {
  settings: Settings;
  call: number;
  /** Folds that are opened by hand in this view. */
  unfolded: string[];
}

interface Step {
  look: Look;
  /** What was done from there, in words. */
  what: string;
  /** Settings that were changed, and when: a slider's way is one step. */
  keys: string;
  time: number;
}

export interface Steps {
  past: Step[];
  future: Step[];
}

export const NO_STEPS: Steps = { past: [], future: [] };

/** Steps that are remembered. */
const MOST = 200;
/** Changes of one setting that follow each other within so many milliseconds are one step. */
const SOON = 1_000;

/** Remembers what was looked at before something was done. */
export function did({ past }: Steps, look: Look, what: string, keys = ""): Steps {
  const time = performance.now();
  const last = past.at(-1);
  if (keys && last?.keys === keys && time - last.time < SOON) return { past: [...past.slice(0, -1), { ...last, what, time }], future: [] };
  return { past: [...past.slice(-MOST + 1), { look, what, keys, time }], future: [] };
}

/** Goes a step back, or forward: what to look at then, and the steps as they are then. */
export function undone({ past, future }: Steps, now: Look): { look: Look; steps: Steps } | null {
  const step = past.at(-1);
  return step ? { look: step.look, steps: { past: past.slice(0, -1), future: [...future, { ...step, look: now, keys: "" }] } } : null;
}

export function redone({ past, future }: Steps, now: Look): { look: Look; steps: Steps } | null {
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

/** Which settings are other than they were, in words. */
export function changeOf(before: Settings, after: Settings): { what: string; keys: string } {
  const keys = (Object.keys(NAMES) as (keyof Settings)[]).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  return { what: keys.map((key) => NAMES[key]).join(", "), keys: keys.includes("pins") ? "" : keys.join() };
}
