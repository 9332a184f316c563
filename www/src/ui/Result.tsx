// The figures that matter.

import type { Opened, Outcome } from "../engine/protocol";
import { count, percent, plural } from "./numbers";

export function Result({ opened, outcome: { report, trouble, rows } }: { opened: Opened; outcome: Outcome }) {
  const { tokens_after: after, threshold, limit } = report;
  const fits = !trouble && (limit == null || after <= limit);
  const inView = rows.filter((row) => row.fate !== "folded").length;
  return (
    <section class="result" aria-label="Result">
      <div class="result-figure">
        <span>Before</span>
        <strong data-testid="tokens-before">{count(opened.tokens)}</strong>
        <small>tokens in {plural(opened.messages, "message")}</small>
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
        <span>Less</span>
        <strong>{percent(opened.tokens ? 1 - after / opened.tokens : 0)}</strong>
        <small>nothing lost: all can be read back</small>
      </div>
      <p class={fits ? "verdict verdict-good" : "verdict verdict-bad"} role="status">
        {fits ? "Fits" : "Does not fit"}
        {threshold != null && (
          <small>
            {after <= threshold ? "under" : "over"} the threshold of <span data-testid="threshold">{count(threshold)}</span>
          </small>
        )}
      </p>
    </section>
  );
}
