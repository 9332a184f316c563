// The difference between two texts, line by line.

import type { DiffLine } from "../engine/protocol";
import { plural } from "./numbers";

const SIGNS = { same: " ", gone: "−", new: "+" };
const NAMES = { same: "unchanged", gone: "gone", new: "new" };

export function Diff({ lines }: { lines: DiffLine[] }) {
  return (
    <pre class="diff" tabIndex={0} aria-label="The difference, line by line">
      {lines.map(({ kind, text, skipped }, at) => (
        <span key={at} class={`diff-${kind}${skipped ? " diff-skipped" : ""}`}>
          {skipped ? `⋯ ${plural(skipped, `${NAMES[kind]} line`)}` : `${SIGNS[kind]} ${text}`}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
