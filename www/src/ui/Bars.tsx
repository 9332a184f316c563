// Tokens by part, before and after, compared with the window and the threshold.

import type { Moment, PartTokens } from "../engine/protocol";
import { Words } from "./Words";
import { count, placeOf, short } from "./numbers";
import { partColour, partName, partNames } from "./parts";

interface Mark {
  name: string;
  tokens: number;
}

export function Bars({ moment, calls }: { moment: Moment; calls: number }) {
  const { report } = moment;
  const window = report.window ?? 0;
  const marks: Mark[] = [
    ...(report.threshold == null ? [] : [{ name: "threshold", tokens: report.threshold }]),
    ...(report.window == null ? [] : [{ name: "window", tokens: window }]),
  ];
  const close = Math.max(report.tokens_after, window) * 1.02;
  const names = partNames(moment.parts);
  const of = (parts: PartTokens[], name: string) => parts.find((part) => part.name === name)?.tokens ?? 0;
  return (
    <section class="panel bars" aria-labelledby="bars-title">
      <h2 id="bars-title">The view {placeOf(moment, calls)}, by part</h2>
      <Bar label="Tokens" parts={moment.parts} scale={close} marks={marks} named />
      <table class="legend legend-wide">
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Tokens</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">
                <i style={{ background: partColour(name) }} /> {partName(name)}
              </th>
              <td>{count(of(moment.parts, name))}</td>
              <td>{report.tokens_after ? Math.round((100 * of(moment.parts, name)) / report.tokens_after) : 0} %</td>
            </tr>
          ))}
        </tbody>
      </table>
      {names.includes("ledger") && <Words of={["ledger"]} />}
    </section>
  );
}

interface BarProps {
  label: string;
  parts: PartTokens[];
  /** Tokens of the whole width. */
  scale: number;
  marks: Mark[];
  /** Whether the marks show their names. */
  named?: boolean;
}

export function Bar({ label, parts, scale, marks, named }: BarProps) {
  const total = parts.reduce((sum, part) => sum + part.tokens, 0);
  const share = (tokens: number) => `${(100 * tokens) / scale}%`;
  const ordered = partNames(parts).map((name) => parts.find((part) => part.name === name)!);
  const words = ordered.map((part) => `${partName(part.name)} ${count(part.tokens)}`).join(", ");
  return (
    <div class="bar-line">
      <div class="bar-label">
        {label} <span>{count(total)}</span>
      </div>
      <div class={named ? "bar bar-named" : "bar"} role="img" aria-label={`${label}: ${count(total)} tokens. ${words}.`}>
        <div class="bar-track">
          {ordered.map((part) => (
            <i
              key={part.name}
              style={{ width: share(part.tokens), background: partColour(part.name) }}
              title={`${partName(part.name)}: ${count(part.tokens)} tokens`}
            />
          ))}
        </div>
        {marks.map((mark) => (
          <b key={mark.name} class={`mark mark-${mark.name}`} style={{ left: share(mark.tokens) }}>
            {named && (
              <span>
                {mark.name} {short(mark.tokens)}
              </span>
            )}
          </b>
        ))}
      </div>
    </div>
  );
}
