// The introduction for visitors.

import { partColour } from "./parts";

const STEPS = [
  ["Cut", "Long texts of older steps keep their head and their tail. What was left out is named, and the full text stays one call away."],
  ["Fold", "The oldest steps become one summary: task, constraints, files, commands, what is still open."],
  ["Explain", "Every decision is listed with what it saved. Nothing is deleted: every message and output can still be read."],
] as const;

/** A typical session: it grows call by call, and is folded whenever it comes near its window. For each call, its parts in per cent. */
const CALLS = Array.from({ length: 60 }, (_, at) => {
  const folds = Math.floor(at / 20);
  const since = at % 20;
  const outputs = Math.min(44 - folds * 4, 6 + since * 3.1) * (0.82 + 0.18 * Math.abs(Math.sin(at * 1.7)));
  return [
    ["system", 5],
    ["summary", folds ? 7 : 0],
    ["ledger", folds * 4],
    ["user", 2 + (since > 9 ? 2 : 0)],
    ["assistant", 2 + since * 0.7],
    ["tool_calls", 1 + since * 0.5],
    ["tool_outputs", outputs],
  ] as const;
});

export function Intro() {
  return (
    <>
      <svg class="intro-picture" viewBox="0 0 600 100" preserveAspectRatio="none" aria-hidden="true">
        {CALLS.map((parts, at) => {
          let top = 100;
          return parts.map(([name, high]) => <rect key={`${name}-${at}`} x={at * 10} y={(top -= high)} width={8.6} height={high} style={{ fill: partColour(name) }} />);
        })}
        <path d="M0 16H600" />
      </svg>
      <ol class="intro">
        {STEPS.map(([name, text]) => (
          <li key={name}>
            <h3>{name}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </>
  );
}
