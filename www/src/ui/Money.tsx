// The cost of the session as it was recorded, and under these settings, including the prompt cache.

import type { Costs } from "contextfold";
import type { Opened, Outcome } from "../engine/protocol";
import { count, dollars, percent, plural } from "./numbers";

const COLOURS = { input: "var(--paid-input)", cached: "var(--paid-cached)", output: "var(--paid-output)", summaries: "var(--paid-summaries)" };
const NAMES = { input: "Input", cached: "Input from the cache", output: "Output", summaries: "Summaries" };
type Kind = keyof typeof NAMES;

export function Money({ opened, outcome }: { opened: Opened; outcome: Outcome }) {
  const { prices, recorded, cost, costs, compactions } = outcome;
  if (!prices || recorded.costs === null || costs === null || cost === null || recorded.cost === null)
    return (
      <section class="panel" aria-labelledby="money-title">
        <h2 id="money-title">Money</h2>
        <p class="quiet">Choose a model under “Priced as” to see what the session costs.</p>
      </section>
    );
  const most = Math.max(recorded.cost, cost, Number.MIN_VALUE);
  const saved = recorded.cost - cost;
  const rate = (perToken: number | undefined) => (perToken === undefined ? "–" : `$${+(perToken * 1e6).toFixed(4)}`);
  return (
    <section class="panel money" aria-labelledby="money-title">
      <div class="panel-head">
        <h2 id="money-title">Money</h2>
        <p class={saved >= 0 ? "good" : "bad"}>
          {saved >= 0 ? `${dollars(saved)} saved (${percent(recorded.cost ? saved / recorded.cost : 0)})` : `${dollars(-saved)} more`}
        </p>
      </div>
      <MoneyBar label="As recorded" costs={recorded.costs} summaries={0} most={most} testid="cost-recorded" />
      <MoneyBar label="Under these settings" costs={costs} summaries={compactions.cost ?? 0} most={most} testid="cost" />
      <table class="legend">
        <thead>
          <tr>
            <th scope="col">For</th>
            <th scope="col">As recorded</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {(Object.keys(NAMES) as Kind[]).map((kind) => (
            <tr key={kind}>
              <th scope="row">
                <i style={{ background: COLOURS[kind] }} /> {NAMES[kind]}
              </th>
              <td>{dollars(kind === "summaries" ? 0 : recorded.costs![kind])}</td>
              <td>{dollars(kind === "summaries" ? (compactions.cost ?? 0) : costs[kind])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet small">
        {percent(outcome.cacheHitRatio)} of the input stood unchanged at a call’s beginning
        {compactions.requests > 0 && `; ${plural(compactions.requests, "request")} of ${count(compactions.requestTokens)} tokens for ${compactions.count === 1 ? "the summary" : "summaries"}`}
        {outcome.cacheBreaks.length > 0 && `; the cache was broken by ${outcome.cacheBreaks.map(({ pass, calls, tokens }) => `${pass ?? "no pass"} before ${plural(calls, "call")} (${count(tokens)} tokens)`).join(", ")}`}. Per million tokens:{" "}
        {rate(prices.rates.input_cost_per_token)} in, {rate(prices.rates.cache_read_input_token_cost)} from the cache
        {prices.rates.cache_creation_input_token_cost !== undefined && `, ${rate(prices.rates.cache_creation_input_token_cost)} into it`}, {rate(prices.rates.output_cost_per_token)} out: the
        list price of {prices.model} in {prices.as_of}, after {prices.source}.
      </p>
      {opened.usage && (
        <p class="quiet small">
          What the file’s own provider reported: {plural(opened.usage.calls, "call")}, {count(opened.usage.input_tokens)} tokens in ({percent(opened.usage.input_tokens ? opened.usage.cached_tokens / opened.usage.input_tokens : 0)} from the
          cache), {count(opened.usage.output_tokens)} out.
        </p>
      )}
    </section>
  );
}

function MoneyBar({ label, costs, summaries, most, testid }: { label: string; costs: Costs; summaries: number; most: number; testid: string }) {
  const pieces: [Kind, number][] = [["cached", costs.cached], ["input", costs.input], ["output", costs.output], ["summaries", summaries]];
  const total = pieces.reduce((sum, [, value]) => sum + value, 0);
  return (
    <div class="bar-line">
      <div class="bar-label">
        {label} <span data-testid={testid}>{dollars(total)}</span>
      </div>
      <div class="bar-track" role="img" aria-label={`${label}: ${dollars(total)}. ${pieces.map(([kind, value]) => `${NAMES[kind]} ${dollars(value)}`).join(", ")}.`}>
        {pieces.map(([kind, value]) => (
          <i key={kind} style={{ width: `${(100 * value) / most}%`, background: COLOURS[kind] }} title={`${NAMES[kind]}: ${dollars(value)}`} />
        ))}
      </div>
    </div>
  );
}
