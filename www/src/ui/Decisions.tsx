// The engine's decisions, in order, and what each saved.

import type { Moment } from "../engine/protocol";
import { count, placeOf, plural } from "./numbers";

export function Decisions({ moment: { report, tokens, call }, calls }: { moment: Moment; calls: number }) {
  const steps = report.decisions.map((decision) => ({ ...decision, saved: decision.tokens_before - decision.tokens_after }));
  return (
    <section class="panel" aria-labelledby="decisions-title">
      <h2 id="decisions-title">What was decided {placeOf({ call }, calls)}</h2>
      {steps.length === 0 && <p class="quiet">Nothing: the view of the call before, and what came since, fit as they are.</p>}
      <ol class="decisions">
        {steps.map((step, i) => (
          <li key={i}>
            <div class="decision-head">
              <code>{step.pass}</code>
              <span>{plural(step.items.length, "message")}</span>
              <strong>
                {step.saved >= 0 ? "−" : "+"}
                {count(Math.abs(step.saved))}
              </strong>
              <span>→ {count(step.tokens_after)} tokens</span>
            </div>
            <p>
              {step.why}
              {(step.attempt ?? 1) > 1 && ` (attempt ${step.attempt})`}
              {step.cache && `. To the prompt cache it costs ${count(step.cache.cost)} tokens of input once, and is expected to save ${count(step.cache.saves)} in ${plural(step.cache.expected_calls, "call")}`}
            </p>
            <i class="decision-bar" style={{ width: `${(100 * step.tokens_after) / Math.max(1, tokens)}%` }} />
          </li>
        ))}
      </ol>
    </section>
  );
}
