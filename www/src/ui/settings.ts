// The settings that the page begins with, and the stops of its sliders.

import type { Settings } from "../engine/protocol";

/** Context windows, in tokens. */
export const WINDOWS = [2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 100, 128, 160, 200, 256, 400, 512, 1000, 2000].map(
  (thousands) => thousands * 1000,
);

/** A window in which there is something to see: the transcript is at least eight times as large. */
export function settingsFor(tokens: number): Settings {
  const fitting = WINDOWS.filter((stop) => stop <= tokens / 8);
  return { window: fitting.at(-1) ?? WINDOWS[0]!, thresholdRatio: 0.8, retainLastTurns: 1, outputBudget: null };
}
