// The changes at this call: message by message with the reason, line by line in the provider's JSON, and the summary as the model
// reads it.

import { useEffect, useState } from "preact/hooks";
import type { Format } from "contextfold";
import type { Changes as Found, ChangeKind, Moment, Trouble } from "../engine/protocol";
import { Diff } from "./Diff";
import { SummaryText } from "./SummaryText";
import { Toolbar, useOneStop } from "./Toolbar";
import { TroubleNotice } from "./TroubleNotice";
import { Words } from "./Words";
import { FATES } from "./fates";
import { FORMAT_NAMES } from "./formats";
import { count, placeOf, plural } from "./numbers";
import { ask, wordsOf } from "./useEngine";

/** Milliseconds that the visitor must stay at a call before it is compared, so that nothing is computed while scrubbing. */
const DEBOUNCE_MS = 150;

const KIND_NAMES: Partial<Record<ChangeKind, string>> = { new: "new since then", back: "back as it came", summary: "a summary in their place" };
const nameOf = (what: ChangeKind) => KIND_NAMES[what] ?? FATES[what as keyof typeof FATES];

function againstWhat({ before }: Found, { summarised }: Moment): string {
  if (summarised) return "this view was made at once of all that was said";
  return before === null ? "the first view" : `against the view at call ${count(before + 1)}`;
}

interface Props {
  moment: Moment;
  calls: number;
  format: Format;
  onGoTo: (id: string) => void;
}

export function Changes({ moment, calls, format, onGoTo }: Props) {
  /** The changes, and the moment that they belong to. They are not shown for another moment. */
  const [compared, setCompared] = useState<{ at: Moment; found: Found } | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [only, setOnly] = useState<ChangeKind | null>(null);
  useEffect(() => {
    let gone = false;
    const timer = setTimeout(
      () =>
        ask("changes", format).then(
          (found) => gone || (setCompared({ at: moment, found }), setTrouble(null)),
          (error) => gone || wordsOf(error).superseded || setTrouble(wordsOf(error)),
        ),
      DEBOUNCE_MS,
    );
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [moment, format]);
  const list = useOneStop<HTMLUListElement>();
  const found = compared?.found;
  const isOld = compared?.at !== moment;
  const kind = found?.totals.some(({ what }) => what === only) ? only : null; // ignore the chosen kind if this call has no such changes
  const isShown = ({ what }: { what: ChangeKind }) => kind === null || what === kind;
  const shown = found?.changes.filter(isShown) ?? [];
  const all = found?.totals.filter(isShown).reduce((sum, total) => sum + total.count, 0) ?? 0;
  return (
    <section class="panel changes" aria-labelledby="changes-title" data-testid="changes">
      <div class="panel-head">
        <h2 id="changes-title">What changed {placeOf(moment, calls)}</h2>
        <p class="quiet">{found && !isOld && againstWhat(found, moment)}</p>
      </div>
      {trouble && <TroubleNotice trouble={trouble} />}
      {found && (
        <div class={isOld ? "changes-old" : ""}>
          <Toolbar class="chips" label="Which changes">
            {found.totals.map(({ what, count: n, tokensBefore, tokensAfter }) => (
              <button key={what} type="button" class="chip" aria-pressed={kind === what} title={`${count(tokensBefore)} → ${count(tokensAfter)} tokens`} onClick={() => setOnly(kind === what ? null : what)}>
                <i class={`dot fate-${what}`} />
                {nameOf(what)} <span>{count(n)}</span>
              </button>
            ))}
          </Toolbar>
          {all === 0 && <p class="quiet">Nothing: the view is the one of the call before.</p>}
          {all > 0 && (
            <ul {...list} class="change-list" aria-label="Changes, message by message">
              {shown.map((change) => (
                <li key={change.id}>
                  {change.role === "summary" && change.what === "removed" ? (
                    change.id // it was taken back: there is no row to go to
                  ) : (
                    <button type="button" class="link" onClick={() => onGoTo(change.id)}>
                      {change.id}
                    </button>
                  )}{" "}
                  <b>{change.role === "tool" ? change.label : change.role}</b> <em class={`fate fate-${change.what}`}>{nameOf(change.what)}</em>{" "}
                  <span class="quiet">
                    {count(change.tokensBefore)} → {count(change.tokensAfter)} tokens{change.why && `: ${change.why}`}
                    {change.pass && ` (${change.pass})`}
                  </span>
                </li>
              ))}
              {all > shown.length && <li class="quiet">and {plural(all - shown.length, "message")} more</li>}
            </ul>
          )}
          <details>
            <summary>
              Line by line, as {FORMAT_NAMES[format]} takes it{" "}
              <span>
                <ins>+{count(found.linesNew)}</ins> <del>−{count(found.linesGone)}</del>
              </span>
            </summary>
            <Diff lines={found.lines} />
          </details>
          {found.summary && (
            <details>
              <summary>
                The summary as the model reads it <span class="quiet">{count(found.summary.tokens)} tokens</span>
              </summary>
              <SummaryText {...found.summary} />
            </details>
          )}
        </div>
      )}
      <Words of={["trim"]} />
    </section>
  );
}
