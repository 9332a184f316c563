// Compares up to four settings on one session.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Compared, Settings } from "../engine/protocol";
import type { PresetName } from "contextfold";
import { TroubleNotice } from "./TroubleNotice";
import { count, dollars, percent, short } from "./numbers";
import { PRESETS, WINDOWS } from "./settings";
import { ask, wordsOf } from "./useEngine";

const MAX_ENTRIES = 4;
const WIDE = 1000;
const HIGH = 160;

/** A line of the comparison: settings, and their result once it is known. */
interface Entry {
  settings: Settings;
  found?: Compared;
  trouble?: ReturnType<typeof wordsOf>;
}

interface Column {
  name: string;
  of: (found: Compared) => number | null;
  show: (value: number) => string;
  best: "least" | "most" | null;
}

/** The second model for which costs are shown. */
const besides = (model: string) => (model.startsWith("claude") ? "gpt-5" : "claude-sonnet-4-5");

const columnsOf = (models: string[]): Column[] => [
  { name: "Tokens sent", of: (found) => found.tokensTotal, show: short, best: "least" },
  ...models.map((model, at): Column => ({ name: `Bill as ${model}`, of: (found) => found.costs[at] ?? null, show: dollars, best: "least" })),
  { name: "From the cache", of: (found) => found.cacheHitRatio, show: percent, best: "most" },
  { name: "Folds", of: (found) => found.folds, show: count, best: null },
  { name: "Read again soon", of: (found) => found.readAgain, show: count, best: "least" },
  { name: "Facts kept", of: (found) => found.facts.withRefs, show: percent, best: "most" },
];

/** The visitor's current settings, and other presets with the same window. */
const entriesFor = (settings: Settings): Entry[] =>
  [settings.preset, ...(["contextfold", "rolling", "spec", "selective"] as PresetName[]).filter((name) => name !== settings.preset)]
    .slice(0, MAX_ENTRIES)
    .map((preset) => ({ settings: { ...settings, preset } }));

export function Compare({ settings, onLook }: { settings: Settings; onLook: (settings: Settings) => void }) {
  const [entries, setEntries] = useState<Entry[] | null>(null);
  const models = settings.priceAs ? [settings.priceAs, besides(settings.priceAs)] : ["gpt-5", "claude-sonnet-4-5"];
  const columns = columnsOf(models);
  const asked = useRef("");
  const shown = useRef(true);
  useEffect(() => () => void (shown.current = false), []);

  // Lines are computed one after the other. A line that was changed in the meantime is requested again.
  const next = entries?.findIndex((entry) => !entry.found && !entry.trouble) ?? -1;
  const wanted = next < 0 ? "" : `${models.join()} ${next} ${JSON.stringify(entries![next]!.settings)}`;
  useEffect(() => {
    if (!wanted || asked.current === wanted) return;
    asked.current = wanted;
    const { settings } = entries![next]!;
    const put = (part: Partial<Entry>) => {
      asked.current = "";
      if (shown.current) setEntries((now) => now && now.map((entry) => (entry.settings === settings ? { settings, ...part } : entry)));
    };
    ask("compare", { settings, priceAs: models }).then(
      (found) => put({ found }),
      (error) => put(wordsOf(error).superseded ? {} : { trouble: wordsOf(error) }),
    );
  }, [wanted, entries]);
  // If the models change, costs must be computed again.
  const priced = models.join();
  useEffect(() => setEntries((now) => now && now.map(({ settings }) => ({ settings }))), [priced]);

  const change = (at: number, part: Partial<Settings>) => setEntries((now) => now && now.map((entry, i) => (i === at ? { settings: { ...entry.settings, ...part } } : entry)));
  if (!entries)
    return (
      <section class="panel compare" aria-labelledby="compare-title">
        <h2 id="compare-title">Compare</h2>
        <p class="quiet">The same session under other ladders, windows and budgets, side by side: what is sent, what it costs, and what is still there.</p>
        <button type="button" class="button button-strong" onClick={() => setEntries(entriesFor(settings))}>
          Compare four settings
        </button>
      </section>
    );
  const known = entries.flatMap(({ found }) => found ?? []);
  const bestOf = ({ of, best }: Column) => {
    const values = known.flatMap((found) => of(found) ?? []);
    if (!best || values.length < 2) return null;
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return least === most ? null : best === "least" ? least : most;
  };
  const bests = columns.map(bestOf);
  const trouble = entries.find((entry) => entry.trouble)?.trouble;
  return (
    <section class="panel compare" aria-labelledby="compare-title" aria-busy={next >= 0}>
      <div class="panel-head">
        <h2 id="compare-title">Compare</h2>
        <p class="quiet" role="status">
          {next >= 0 ? `Replaying ${next + 1} of ${entries.length}…` : "★ is the best of its column"}
        </p>
      </div>
      {trouble && <TroubleNotice trouble={trouble} />}
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Comparison">
        <table class="compare-table">
          <thead>
            <tr>
              <th scope="col">Settings</th>
              {columns.map(({ name }) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
              <th scope="col">
                <span class="unseen">What to do</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map(({ settings, found }, at) => (
              <tr key={at} data-testid="compared">
                <th scope="row">
                  <i class={`compare-mark compare-${at}`} aria-hidden="true" />
                  <select aria-label={`Ladder of line ${at + 1}`} value={settings.preset} onChange={(event) => change(at, { preset: event.currentTarget.value as PresetName })}>
                    {PRESETS.map(([name]) => (
                      <option key={name}>{name}</option>
                    ))}
                  </select>
                  <select aria-label={`Window of line ${at + 1}`} value={String(settings.window)} onChange={(event) => change(at, { window: Number(event.currentTarget.value) })}>
                    {[...new Set([...WINDOWS, settings.window])].sort((a, b) => a - b).map((window) => (
                      <option key={window} value={String(window)}>
                        {short(window)} window
                      </option>
                    ))}
                  </select>
                  <select aria-label={`Tool outputs of line ${at + 1}`} value={String(settings.outputBudget)} onChange={(event) => change(at, { outputBudget: event.currentTarget.value === "null" ? null : Number(event.currentTarget.value) })}>
                    {[...new Set([null, settings.window, 20_000, 5_000, settings.outputBudget])].map((budget) => (
                      <option key={budget} value={String(budget)}>
                        {budget === null ? "outputs as usual" : budget === settings.window ? "outputs left alone" : `outputs ≤ ${short(budget)}`}
                      </option>
                    ))}
                  </select>
                </th>
                {columns.map(({ of, show, name }, i) => {
                  const value = found ? of(found) : undefined;
                  const isBest = value != null && value === bests[i];
                  return (
                    <td key={name} class={isBest ? "compare-best" : ""}>
                      {value === undefined ? "…" : value === null ? "no price" : show(value)}
                      {isBest && <span aria-label="best">★</span>}
                    </td>
                  );
                })}
                <td>
                  <button type="button" class="button" aria-label={`Look into it: line ${at + 1}`} onClick={() => onLook(settings)}>
                    Look into it
                  </button>
                  {found && found.callsOverLimit > 0 && <small class="bad">{count(found.callsOverLimit)} calls did not fit</small>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Lines entries={entries} />
      <p class="quiet small">
        “Read again soon”: outputs that left the view and that the recorded agent asked for again, word for word, within ten calls. “Facts kept”: paths, addresses, ids and error codes that the
        view still names, or that a stored output still has; that a model makes use of them, no figure here promises.
      </p>
    </section>
  );
}

/** The tokens of each call, with one line in the chart for each of the settings. */
function Lines({ entries }: { entries: Entry[] }) {
  const most = entries.reduce((most, { found }) => (found ? found.tokens.reduce((a, b) => Math.max(a, b), most) : most), 1);
  const path = (tokens: number[]) => {
    const size = Math.max(1, Math.ceil(tokens.length / WIDE));
    let d = "";
    for (let at = 0; at < tokens.length; at += size) {
      const [x, y] = [(at / Math.max(1, tokens.length - 1)) * WIDE, HIGH - (tokens[at]! / most) * (HIGH - 6)];
      d += `${d ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    }
    return d;
  };
  return (
    <figure class="compare-lines">
      <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label="Tokens of each call, a line for each of the settings">
        {entries.map(({ found }, at) => found && <path key={at} class={`compare-${at}`} d={path(found.tokens)} />)}
      </svg>
      <figcaption class="quiet small">Tokens sent, call by call; the top is {short(most)}</figcaption>
    </figure>
  );
}
