// Tokens call by call, stacked by part, with the window, the threshold and the folds; and what the session was as recorded.

import { useMemo, useRef } from "preact/hooks";
import type { Call, Outcome } from "../engine/protocol";
import { dollars, count, plural, short } from "./numbers";
import { partColour, partName, partNames } from "./parts";

const WIDE = 1000;
const HIGH = 210;
const RECORDED_HIGH = 54;
/** More bars than this are drawn as the largest of several calls each. */
const BARS = 400;

interface Props {
  outcome: Outcome;
  call: number;
  onCall: (call: number) => void;
}

export function Timeline({ outcome, call, onCall }: Props) {
  const { calls, limit, threshold, recorded } = outcome;
  const drawn = useMemo(() => drawing(outcome), [outcome]);
  const shown = calls[call];
  const scrubber = useRef<HTMLInputElement>(null);
  if (calls.length === 0)
    return (
      <section class="panel" aria-labelledby="timeline-title">
        <h2 id="timeline-title">Call by call</h2>
        <p class="quiet">No answer of a model is in this transcript, so there was no call.</p>
      </section>
    );
  const at = Math.min(99.8, ((call + 0.5) / calls.length) * 100);
  const previous = drawn.folds.filter((fold) => fold < call).at(-1);
  const following = drawn.folds.find((fold) => fold > call);
  const y = (tokens: number) => `${100 - (100 * tokens) / drawn.scale}%`;
  const scrub = (event: PointerEvent) => {
    if (event.type === "pointermove" && event.buttons !== 1) return;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    onCall(Math.floor(((event.clientX - box.left) / box.width) * calls.length));
    if (event.type === "pointerdown") {
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      scrubber.current?.focus({ preventScroll: true });
    }
  };
  return (
    <section class="panel timeline" aria-labelledby="timeline-title">
      <div class="panel-head">
        <h2 id="timeline-title">Call by call</h2>
        <p class="quiet">
          {plural(calls.length, "call")} · {plural(outcome.compactions.count, "fold")} · {short(outcome.tokensTotal)} tokens sent instead of {short(recorded.tokensTotal)}
        </p>
      </div>
      <div class="timeline-plot" onPointerDown={scrub} onPointerMove={scrub}>
        <svg class="timeline-recorded" viewBox={`0 0 ${WIDE} ${RECORDED_HIGH}`} preserveAspectRatio="none" aria-hidden="true">
          <path d={drawn.recorded} />
          <path class="timeline-under" d={drawn.underRecorded} />
        </svg>
        <span class="timeline-note">as recorded, up to {short(recorded.tokensLargest)}</span>
        <div class="timeline-chart">
          <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label={`Tokens of ${plural(calls.length, "call")}, stacked by part.`}>
            {drawn.areas.map(([name, d]) => (
              <path key={name} d={d} style={{ fill: partColour(name) }} />
            ))}
          </svg>
          {ticksOf(drawn.scale).map((tokens) => (
            <span key={tokens} class="timeline-tick" style={{ top: y(tokens) }}>
              {short(tokens)}
            </span>
          ))}
          {drawn.breaks.map(({ at, by, lost, isFold }) => (
            <i key={at} class={isFold ? "timeline-break timeline-break-fold" : "timeline-break"} style={{ left: `${((at + 0.5) / calls.length) * 100}%` }} title={`Before call ${count(at + 1)} ${by} broke the prompt cache: ${count(lost)} tokens are read again`} />
          ))}
          {drawn.folds.map((fold) => (
            <i key={fold} class="timeline-fold" style={{ left: `${(fold / calls.length) * 100}%` }} title={`A fold before call ${count(fold + 1)}`} />
          ))}
          {limit <= drawn.scale && (
            <b class="timeline-line" style={{ top: y(limit) }}>
              <span>window {short(limit)}</span>
            </b>
          )}
          {threshold <= Math.min(limit, drawn.scale) && (
            <b class="timeline-line timeline-threshold" style={{ top: y(threshold) }}>
              <span>threshold {short(threshold)}</span>
            </b>
          )}
        </div>
        <i class="timeline-cursor" style={{ left: `${at}%` }} />
      </div>
      <input
        ref={scrubber}
        class="timeline-scrubber"
        type="range"
        aria-label="Call"
        aria-valuetext={shown ? words(shown, call, calls.length) : AFTER}
        min={0}
        max={calls.length}
        value={call}
        onInput={(event) => onCall(event.currentTarget.valueAsNumber)}
      />
      {shown ? (
        <p class="timeline-call" data-testid="call">
          <strong>
            Call {count(call + 1)} of {count(calls.length)}
          </strong>
          <span>{count(shown.tokens)} tokens</span>
          <span>
            {count(shown.cached)} from the cache, {count(shown.written)} written to it
          </span>
          {shown.lost > 0 && (
            <span>
              {count(shown.lost)} lost from it{shown.brokenBy && ` to ${shown.brokenBy}`}
            </span>
          )}
          {shown.cost !== null && <span>{dollars(shown.cost)}</span>}
          <span>{shown.decisions.length === 0 ? "nothing had to be done" : shown.decisions.map((each) => `${each.pass} ${plural(each.count, "message")}`).join(", ")}</span>
          {shown.error && <em class="bad">{shown.error}</em>}
        </p>
      ) : (
        <p class="timeline-call" data-testid="call">
          <strong>{AFTER}</strong>
          <span>the view that the next call would send</span>
        </p>
      )}
      <div class="timeline-jumps">
        <button type="button" class="button" disabled={previous === undefined} onClick={() => onCall(previous!)}>
          ← Fold before
        </button>
        <button type="button" class="button" disabled={following === undefined} onClick={() => onCall(following!)}>
          Next fold →
        </button>
        <span class="quiet small">
          <i class="timeline-key timeline-key-fold" /> a fold <i class="timeline-key timeline-key-break" /> the prompt cache was broken
        </span>
      </div>
      <ul class="legend-line" aria-label="Parts">
        {drawn.names.map((name) => (
          <li key={name}>
            <i style={{ background: partColour(name) }} /> {partName(name)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Round figures along the axis, four or so. */
function ticksOf(scale: number): number[] {
  const rough = scale / 4;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((n) => n * size >= rough) ?? 10) * size;
  return Array.from({ length: Math.floor(scale / step) }, (_, i) => (i + 1) * step).filter((tokens) => tokens < scale * 0.97);
}

const AFTER = "After the last answer";

const words = (call: Call, at: number, of: number) =>
  `Call ${at + 1} of ${of}: ${count(call.tokens)} tokens, ${call.folded ? "after a fold, " : ""}${call.parts.map((part) => `${partName(part.name)} ${count(part.tokens)}`).join(", ")}`;

function drawing({ calls, limit, recorded }: Outcome) {
  const largest = calls.reduce((most, call) => Math.max(most, call.tokens), 1);
  // The window belongs into the picture unless nothing comes near it.
  const scale = limit < largest * 3 ? Math.max(largest, limit) * 1.04 : largest * 1.15;
  const size = Math.max(1, Math.ceil(calls.length / BARS));
  const bars = Array.from({ length: Math.ceil(calls.length / size) }, (_, i) =>
    calls.slice(i * size, (i + 1) * size).reduce((most, call) => (call.tokens > most.tokens ? call : most)),
  );
  const step = WIDE / Math.max(1, bars.length);
  const thick = step > 5 ? step - 1 : step;
  const names = partNames(...calls.map((call) => call.parts)).filter((name) => calls.some((call) => call.parts.some((part) => part.name === name && part.tokens > 0)));
  const paths = new Map(names.map((name) => [name, ""]));
  bars.forEach((call, i) => {
    let top = 0;
    for (const name of names) {
      const tokens = call.parts.find((part) => part.name === name)?.tokens ?? 0;
      if (!tokens) continue;
      const from = HIGH - (top / scale) * HIGH;
      top += tokens;
      const to = HIGH - (top / scale) * HIGH;
      paths.set(name, `${paths.get(name)}M${fine(i * step)} ${fine(from)}h${fine(thick)}V${fine(to)}h${fine(-thick)}z`);
    }
  });
  const most = Math.max(1, recorded.tokensLargest);
  const area = (tokens: (call: number) => number) => {
    let d = `M0 ${RECORDED_HIGH}`;
    for (let i = 0; i < bars.length; i++) d += `L${fine(i * step)} ${fine(RECORDED_HIGH - (tokens(Math.min(calls.length - 1, i * size)) / most) * RECORDED_HIGH)}h${fine(step)}`;
    return `${d}V${RECORDED_HIGH}z`;
  };
  return {
    scale,
    names,
    areas: [...paths],
    breaks: calls.flatMap(({ lost, brokenBy, folded }, at) => (lost > 0 && brokenBy ? [{ at, by: brokenBy, lost, isFold: folded }] : [])),
    folds: calls.flatMap((call, index) => (call.folded ? [index] : [])),
    recorded: area((call) => recorded.tokens[call] ?? 0),
    underRecorded: area((call) => calls[call]?.tokens ?? 0),
  };
}

const fine = (n: number) => +n.toFixed(1);
