// The initial settings of the page, and the stops of its sliders.

import type { PresetName } from "contextfold";
import type { Opened, Settings } from "../engine/protocol";

/** Context windows, in tokens. */
export const WINDOWS = [2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 100, 128, 160, 200, 256, 400, 512, 1000, 2000].map(
  (thousands) => thousands * 1000,
);

/** The ladders, each with a description. */
export const PRESETS: [PresetName, string][] = [
  ["contextfold", "older steps are cut to one length, the oldest are folded, with a ledger"],
  ["spec", "outputs are trimmed to a budget, older turns become a summary"],
  ["rolling", "a summary that rolls on"],
  ["selective", "by kind of message"],
  ["ladder", "drop, prune, shrink turns, fold"],
  ["steps-design", "steps, from 150,000 tokens on"],
  ["steps-execution", "steps, from 700,000 tokens on"],
];

/** The model whose prices are used for a format if the file names none. */
const PRICED_AS: Partial<Record<Opened["format"], string>> = { "openai-responses": "gpt-5", "openai-chat": "gpt-5", anthropic: "claude-sonnet-4-5" };

/** Initial settings, with a window so small that there is something to see: the transcript is at least six times as large. */
export function settingsFor({ tokens, format, model }: Opened): Settings {
  const fitting = WINDOWS.filter((stop) => stop <= tokens / 6);
  const window = fitting.at(-1) ?? WINDOWS[0]!;
  return { preset: "contextfold", window, thresholdRatio: 0.8, retainLastTurns: 1, outputBudget: null, priceAs: model ?? PRICED_AS[format] ?? "gpt-5", pins: [] };
}
