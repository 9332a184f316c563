// What the visitor sets. Every change runs the engine at once.

import type { Outcome, Settings } from "../engine/protocol";
import { Slider } from "./Slider";
import { count, milliseconds, plural } from "./numbers";
import { WINDOWS } from "./settings";

const RATIOS = Array.from({ length: 16 }, (_, i) => (25 + i * 5) / 100);
const TURNS = Array.from({ length: 11 }, (_, i) => i);
const BUDGETS = Array.from({ length: 61 }, (_, i) => i * 1000);

function keptHint(turns: number): string {
  if (turns === 0) return "all may be folded";
  return turns === 1 ? "the last turn stays, if it fits" : `the last ${turns} turns stay, if they fit`;
}

interface Props {
  settings: Settings;
  outcome: Outcome | null;
  busy: boolean;
  onChange: (settings: Settings) => void;
}

export function Controls({ settings, outcome, busy, onChange }: Props) {
  const set = (change: Partial<Settings>) => onChange({ ...settings, ...change });
  const budget = outcome?.report.budgets["tool_outputs"] ?? 20_000;
  const automatic = settings.outputBudget === null;
  return (
    <form class="controls" aria-label="Settings" onSubmit={(event) => event.preventDefault()}>
      <h2>Settings</h2>
      <Slider
        label="Context window"
        hint="tokens that the model can take"
        value={settings.window}
        stops={WINDOWS}
        {...{ min: 500, max: 10_000_000, step: "any" as const, show: (n: number) => `${count(n)} tokens` }}
        onChange={(window) => set({ window: Math.round(window) })}
      />
      <Slider
        label="Threshold"
        hint={`folds from ${count(settings.window * settings.thresholdRatio)} tokens on`}
        value={settings.thresholdRatio}
        stops={RATIOS}
        {...{ min: 0.05, max: 1, step: 0.01, show: (n: number) => `${Math.round(n * 100)} % of the window` }}
        onChange={(thresholdRatio) => set({ thresholdRatio })}
      />
      <Slider
        label="Turns kept"
        hint={keptHint(settings.retainLastTurns)}
        value={settings.retainLastTurns}
        stops={TURNS}
        {...{ min: 0, max: 1000, step: 1, show: (n: number) => plural(n, "turn") }}
        onChange={(turns) => set({ retainLastTurns: Math.round(turns) })}
      />
      <Slider
        label="Tool outputs"
        hint={`may take ${count(settings.outputBudget ?? budget)} tokens together`}
        value={settings.outputBudget ?? budget}
        stops={BUDGETS}
        {...{ min: 0, max: 10_000_000, step: "any" as const, show: (n: number) => `${count(n)} tokens` }}
        disabled={automatic}
        onChange={(tokens) => set({ outputBudget: Math.round(tokens) })}
      />
      <label class="check">
        <input type="checkbox" checked={automatic} onChange={(event) => set({ outputBudget: event.currentTarget.checked ? null : budget })} />
        budget by the window’s size
      </label>
      <p class="controls-time" role="status">
        {outcome ? (
          <>
            <strong data-testid="engine-ms">{milliseconds(outcome.ms.read + outcome.ms.fit)}</strong> in the engine
            <span>
              {milliseconds(outcome.ms.read)} reading and counting, {milliseconds(outcome.ms.fit)} making it fit
            </span>
          </>
        ) : (
          busy && "Running…"
        )}
      </p>
    </form>
  );
}
