// The visitor's settings. Every change runs the engine at once.

import type { ComponentChildren } from "preact";
import type { PresetName } from "contextfold";
import type { Moment, Outcome, Settings } from "../engine/protocol";
import { Slider } from "./Slider";
import { count, milliseconds, plural } from "./numbers";
import { PRESETS, WINDOWS } from "./settings";

const RATIOS = Array.from({ length: 16 }, (_, i) => (25 + i * 5) / 100);
const TURNS = Array.from({ length: 11 }, (_, i) => i);
const BUDGETS = Array.from({ length: 61 }, (_, i) => i * 1000);

function keptHint(turns: number): string {
  if (turns === 0) return "all may be folded";
  return turns === 1 ? "the last turn stays, if it fits" : `the last ${turns} turns stay, if they fit`;
}

/** A hint at how many tokens cutting begins. Some ladders have a threshold of their own, which ignores the setting. */
function thresholdHint({ window, thresholdRatio }: Settings, outcome: Outcome | null): string {
  const asked = (settings: Settings) => settings.window * settings.thresholdRatio;
  if (outcome && Math.abs(outcome.threshold - asked(outcome.settings)) > 1) return `this ladder begins at ${count(outcome.threshold)} tokens, whatever is set here`;
  return `cuts from ${count(window * thresholdRatio)} tokens on`;
}

interface Props {
  settings: Settings;
  outcome: Outcome | null;
  moment: Moment | null;
  /** The models whose prices are known. */
  models: string[];
  /** Milliseconds from the last change until it was drawn. */
  redraw: number | null;
  busy: boolean;
  onChange: (part: Partial<Settings>) => void;
  /** Shown next to the title. */
  children: ComponentChildren;
}

export function Controls({ settings, outcome, moment, models, redraw, busy, onChange, children }: Props) {
  const own = moment?.report.budgets["tool_outputs"];
  const budget = own ?? 20_000;
  const automatic = settings.outputBudget === null;
  const priced = settings.priceAs && !models.includes(settings.priceAs) ? [settings.priceAs, ...models] : models;
  return (
    <form class="controls" aria-label="Settings" onSubmit={(event) => event.preventDefault()}>
      <div class="controls-head">
        <h2>Settings</h2>
        {children}
      </div>
      <label class="field">
        Ladder
        <select value={settings.preset} onChange={(event) => onChange({ preset: event.currentTarget.value as PresetName })}>
          {PRESETS.map(([name]) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <span class="slider-hint">a list of passes that are tried one after the other until the view fits; this one: {PRESETS.find(([name]) => name === settings.preset)?.[1]}</span>
      </label>
      <Slider
        label="Context window"
        hint="tokens that the model can take"
        value={settings.window}
        stops={WINDOWS}
        {...{ min: 500, max: 10_000_000, step: "any" as const, show: (n: number) => `${count(n)} tokens` }}
        onChange={(window) => onChange({ window: Math.round(window) })}
      />
      <Slider
        label="Threshold"
        hint={thresholdHint(settings, outcome)}
        value={settings.thresholdRatio}
        stops={RATIOS}
        {...{ min: 0.05, max: 1, step: 0.01, show: (n: number) => `${Math.round(n * 100)} % of the window` }}
        onChange={(thresholdRatio) => onChange({ thresholdRatio })}
      />
      <Slider
        label="Turns kept"
        hint={keptHint(settings.retainLastTurns)}
        value={settings.retainLastTurns}
        stops={TURNS}
        {...{ min: 0, max: 1000, step: 1, show: (n: number) => plural(n, "turn") }}
        onChange={(turns) => onChange({ retainLastTurns: Math.round(turns) })}
      />
      <Slider
        label="Tool outputs"
        hint={automatic && own === undefined ? "this ladder has no budget for them" : `may take ${count(settings.outputBudget ?? budget)} tokens together`}
        value={settings.outputBudget ?? budget}
        stops={BUDGETS}
        {...{ min: 0, max: 10_000_000, step: "any" as const, show: (n: number) => `${count(n)} tokens` }}
        disabled={automatic}
        onChange={(tokens) => onChange({ outputBudget: Math.round(tokens) })}
      />
      <label class="check">
        <input type="checkbox" checked={automatic} onChange={(event) => onChange({ outputBudget: event.currentTarget.checked ? null : budget })} />
        no budget of my own
      </label>
      <label class="field">
        Priced as
        <select value={settings.priceAs} onChange={(event) => onChange({ priceAs: event.currentTarget.value })}>
          <option value="">no prices</option>
          {priced.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <p class="controls-time" role="status">
        {outcome ? (
          <>
            <strong data-testid="engine-ms">{milliseconds(outcome.ms)}</strong> in the engine
            <span>
              for {plural(outcome.calls.length, "call")}
              {redraw !== null && (
                <>
                  ; <span data-testid="redraw-ms">{milliseconds(redraw)}</span> until all was drawn
                </>
              )}
            </span>
          </>
        ) : (
          busy && "Running…"
        )}
      </p>
    </form>
  );
}
