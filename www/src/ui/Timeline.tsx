// Tokens call by call, stacked by part, with the window, the threshold, and marks for what was done before each call. Above it, an
// overview of the whole session as it was recorded, in which the visitor can select a range to zoom in.

import { useMemo, useRef, useState } from "preact/hooks";
import type { Call, Outcome } from "../engine/protocol";
import { CallNote } from "./CallNote";
import { Toolbar } from "./Toolbar";
import { Words } from "./Words";
import { count, dollars, percent, plural, short } from "./numbers";
import { partColour, partName } from "./parts";
import { HIGH, RECORDED_HIGH, WIDE, areasOf, marksOf, overviewOf, ticksOf, type Range } from "./timelineDrawing";
import { useZoom } from "./zoom";

interface Props {
  outcome: Outcome;
  /** The share of the session that is replayed, 0 to 1. */
  share: number;
  call: number;
  onCall: (call: number) => void;
}

export function Timeline({ outcome, share, call, onCall }: Props) {
  const { calls, limit, threshold, recorded } = outcome;
  const zoom = useZoom(calls.length, call);
  const { from, to } = zoom.range;
  const overview = useMemo(() => overviewOf(outcome), [outcome]);
  const areas = useMemo(() => areasOf(outcome, { from, to }), [outcome, from, to]);
  const marks = useMemo(() => marksOf(calls, { from, to }), [calls, from, to]);
  const scrubber = useRef<HTMLInputElement>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  /** Whether the scrubber has the keyboard focus: then the note of its call is shown, as under the pointer. */
  const [isAtKeys, setAtKeys] = useState(false);
  const [drag, setDrag] = useState<Range | null>(null);
  if (calls.length === 0)
    return (
      <section class="panel" aria-labelledby="timeline-title">
        <h2 id="timeline-title">Call by call</h2>
        <p class="quiet">No answer of a model is in this transcript, so there was no call.</p>
      </section>
    );
  const shown = calls[call];
  const x = (at: number) => Math.min(0.998, (at + 0.5 - from) / (to - from));
  const y = (tokens: number) => `${100 - (100 * tokens) / areas.scale}%`;
  const noted = hovered ?? (isAtKeys && shown ? call : null);

  const callAt = (event: PointerEvent, { from, to }: Range) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return Math.max(from, Math.min(to - 1, from + Math.floor(((event.clientX - box.left) / box.width) * (to - from))));
  };
  const scrub = (event: PointerEvent) => {
    const at = callAt(event, zoom.range);
    if (event.pointerType === "mouse") setHovered(at);
    if (event.type === "pointermove" && event.buttons !== 1) return;
    onCall(at);
    if (event.type === "pointerdown") {
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      scrubber.current?.focus({ preventScroll: true });
    }
  };
  const all = { from: 0, to: calls.length };
  const choose = (event: PointerEvent) => {
    const at = callAt(event, all);
    if (event.type === "pointerdown") {
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      setDrag({ from: at, to: at });
    } else if (drag && event.type === "pointermove") setDrag({ ...drag, to: at });
    else if (drag && event.type === "pointerup") {
      setDrag(null);
      const [first, last] = [Math.min(drag.from, at), Math.max(drag.from, at)];
      if (last > first) {
        zoom.to({ from: first, to: last + 1 });
        if (call < first || call > last) onCall(first);
      } else onCall(at);
      scrubber.current?.focus({ preventScroll: true });
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const keys: Record<string, () => void> = { "+": () => zoom.by(2), "=": () => zoom.by(2), "-": () => zoom.by(0.5), "0": zoom.whole };
    // At the edge of the shown range, the arrow keys continue, and the range follows.
    if (event.key === "ArrowRight" && call === to - 1 && to < calls.length) keys["ArrowRight"] = () => onCall(call + 1);
    if (event.key === "ArrowLeft" && call === from && from > 0) keys["ArrowLeft"] = () => onCall(call - 1);
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  const window = drag ? { from: Math.min(drag.from, drag.to), to: Math.max(drag.from, drag.to) + 1 } : zoom.range;
  return (
    <section class="panel timeline" aria-labelledby="timeline-title">
      <div class="panel-head">
        <h2 id="timeline-title">Call by call</h2>
        <p class="quiet">
          {share < 1
            ? `replaying ${plural(calls.length, "call")}: ${percent(share)}`
            : `${plural(calls.length, "call")} · ${plural(outcome.compactions.count, "fold")} · ${short(outcome.tokensTotal)} tokens sent instead of ${short(recorded.tokensTotal)}`}
        </p>
      </div>
      <div class="timeline-plot" onPointerDown={() => setAtKeys(false)}>
        <div class="timeline-all" onPointerDown={choose} onPointerMove={choose} onPointerUp={choose} onPointerCancel={() => setDrag(null)}>
          <svg class="timeline-recorded" viewBox={`0 0 ${WIDE} ${RECORDED_HIGH}`} preserveAspectRatio="none" aria-hidden="true">
            <path d={overview.recorded} />
            <path class="timeline-under" d={overview.now} />
          </svg>
          <span class="timeline-note">
            all calls: as recorded, up to {short(recorded.tokensLargest)}, and under these settings. Drag to look at some of them
          </span>
          {(drag || !zoom.isWhole) && <i class="timeline-window" style={{ left: `${(100 * window.from) / calls.length}%`, width: `${(100 * (window.to - window.from)) / calls.length}%` }} />}
        </div>
        <div class="timeline-chart" onPointerDown={scrub} onPointerMove={scrub} onPointerLeave={() => setHovered(null)}>
          <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label={`Tokens of calls ${count(from + 1)} to ${count(to)}, stacked by part.`}>
            {areas.paths.map(([name, d]) => (
              <path key={name} d={d} style={{ fill: partColour(name) }} />
            ))}
          </svg>
          {ticksOf(areas.scale).map((tokens) => (
            <span key={tokens} class="timeline-tick" style={{ top: y(tokens) }}>
              {short(tokens)}
            </span>
          ))}
          {marks.map(({ call, kind }) => (
            <i key={`${kind} ${call}`} class={`timeline-${kind}`} style={{ left: `${100 * (kind === "break" ? x(call) : (call - from) / (to - from))}%` }} />
          ))}
          {limit <= areas.scale && (
            <b class="timeline-line" style={{ top: y(limit) }}>
              <span>window {short(limit)}</span>
            </b>
          )}
          {threshold <= Math.min(limit, areas.scale) && (
            <b class="timeline-line timeline-threshold" style={{ top: y(threshold) }}>
              <span>threshold {short(threshold)}</span>
            </b>
          )}
          {(shown || to === calls.length) && <i class="timeline-cursor" style={{ left: `${100 * x(call)}%` }} />}
          {noted !== null && noted >= from && noted < to && !calls[noted]!.pending && <CallNote call={calls[noted]!} at={noted} x={x(noted)} />}
        </div>
      </div>
      <input
        ref={scrubber}
        class="timeline-scrubber"
        type="range"
        aria-label="Call"
        aria-valuetext={shown ? words(shown, call, calls.length) : AFTER}
        min={from}
        max={to === calls.length ? to : to - 1}
        value={call}
        onInput={(event) => onCall(event.currentTarget.valueAsNumber)}
        onKeyDown={onKeyDown}
        onKeyUp={() => setAtKeys(true)}
        onBlur={() => setAtKeys(false)}
      />
      <div class="timeline-ends" aria-hidden="true">
        <span>call {count(from + 1)}</span>
        <span>{zoom.isWhole ? "" : `${count(to - from)} of ${count(calls.length)} calls`}</span>
        <span>call {count(to)}</span>
      </div>
      {shown?.pending ? (
        <p class="timeline-call" data-testid="call">
          <strong>
            Call {count(call + 1)} of {count(calls.length)}
          </strong>
          <span>is being replayed</span>
        </p>
      ) : shown ? (
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
      <Toolbar class="timeline-jumps" label="Go to a call, or closer">
        <Jump name="fold" calls={calls} call={call} is={(call) => call.folded} onCall={onCall} />
        <Jump name="change" calls={calls} call={call} is={(call) => call.decisions.length > 0} onCall={onCall} />
        <span class="button-group" role="group" aria-label="Zoom">
          <button type="button" class="button" aria-label="Zoom in" title="Zoom in (+)" disabled={!zoom.canZoomIn} onClick={() => zoom.by(2)}>
            +
          </button>
          <button type="button" class="button" aria-label="Zoom out" title="Zoom out (−)" disabled={zoom.isWhole} onClick={() => zoom.by(0.5)}>
            −
          </button>
          <button type="button" class="button" title="All calls (0)" disabled={zoom.isWhole} onClick={zoom.whole}>
            All calls
          </button>
        </span>
      </Toolbar>
      <ul class="legend-line" aria-label="Marks">
        <li>
          <i class="timeline-key-fold" /> a fold
        </li>
        <li>
          <i class="timeline-key-trim" /> a cut or a trim, without a fold
        </li>
        <li>
          <i class="timeline-key-break" /> the prompt cache was broken
        </li>
      </ul>
      <ul class="legend-line" aria-label="Parts">
        {areas.names.map((name) => (
          <li key={name}>
            <i style={{ background: partColour(name) }} /> {partName(name)}
          </li>
        ))}
      </ul>
      <Words of={["call", "view", "fold", "cache"]} />
    </section>
  );
}

/** Buttons that go to the nearest such call before and after the current one. */
function Jump({ name, calls, call, is, onCall }: { name: string; calls: Call[]; call: number; is: (call: Call) => boolean; onCall: (call: number) => void }) {
  let before = Math.min(call, calls.length) - 1;
  while (before >= 0 && !is(calls[before]!)) before -= 1;
  const next = calls.findIndex((each, at) => at > call && is(each));
  return (
    <span class="button-group">
      <button type="button" class="button" disabled={before < 0} onClick={() => onCall(before)}>
        ← {name[0]!.toUpperCase() + name.slice(1)} before
      </button>
      <button type="button" class="button" disabled={next < 0} onClick={() => onCall(next)}>
        Next {name} →
      </button>
    </span>
  );
}

const AFTER = "After the last answer";

const words = (call: Call, at: number, of: number) =>
  `Call ${at + 1} of ${of}: ${count(call.tokens)} tokens, ${call.folded ? "after a fold, " : ""}${call.parts.map((part) => `${partName(part.name)} ${count(part.tokens)}`).join(", ")}`;
