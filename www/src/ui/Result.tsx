// The most important figures at the current call.

import type { Moment, Outcome } from "../engine/protocol";
import { Words } from "./Words";
import { isInView } from "./fates";
import { count, dollars, percent, plural } from "./numbers";

export function Result({ outcome, moment }: { outcome: Outcome; moment: Moment }) {
  const { report, trouble, rows } = moment;
  const { tokens_after: after, threshold, limit } = report;
  const fits = !trouble && (limit == null || after <= limit);
  const inView = rows.filter(isInView).length;
  return (
    <section class="result" aria-label="Result">
      <div class="result-figure">
        <span>Before</span>
        <strong data-testid="tokens-before">{count(moment.tokens)}</strong>
        <small>tokens in {plural(moment.messages, "message")}</small>
      </div>
      <span class="result-arrow" aria-hidden="true">
        →
      </span>
      <div class="result-figure">
        <span>After</span>
        <strong data-testid="tokens-after">{count(after)}</strong>
        <small>tokens in {plural(inView, "message")}</small>
      </div>
      <div class="result-figure">
        <span>Facts kept</span>
        {/* Every view is searched for every fact. For a long transcript, this arrives last. */}
        <strong data-testid="facts">{outcome.facts ? percent(outcome.facts.withRefs) : "…"}</strong>
        <small>{outcome.facts ? `${percent(outcome.facts.literal)} in the view itself` : "being looked for"}</small>
      </div>
      {outcome.cost !== null && outcome.recorded.cost !== null && (
        <div class="result-figure">
          <span>All calls</span>
          <strong>{dollars(outcome.cost)}</strong>
          <small>instead of {dollars(outcome.recorded.cost)}</small>
        </div>
      )}
      <p class={fits ? "verdict verdict-good" : "verdict verdict-bad"} role="status">
        {fits ? "Fits" : "Does not fit"}
        {threshold != null && (
          <small>
            {after <= threshold ? "under" : "over"} <span data-testid="threshold">{count(threshold)}</span> tokens
          </small>
        )}
      </p>
      <Words of={["facts"]} />
    </section>
  );
}
