// One message, before and after.

import type { Row } from "../engine/protocol";
import { count, plural } from "./numbers";

export const FATES = {
  kept: "kept",
  cut: "cut",
  placeholder: "placeholder",
  shortened: "shortened",
  folded: "folded",
  summary: "summary",
} as const;

const OPENS = { kept: "Show", cut: "Open the output of", placeholder: "Open the output of", shortened: "Show", folded: "Show", summary: "Read" };

interface Props {
  row: Row;
  isOpen: boolean;
  isPinned: boolean;
  onPin: (id: string) => void;
  onUnfold: (id: string) => void;
  onShow: (row: Row) => void;
  onToggle: (id: string) => void;
  onGoTo: (id: string) => void;
}

export function MessageRow({ row, isOpen, isPinned, onShow, onToggle, onGoTo, onPin, onUnfold }: Props) {
  const who = row.role === "tool" ? row.label : row.role === "summary" && row.members ? "fold" : row.role;
  return (
    <article class={`row row-${row.fate} role-${row.role}`}>
      <button type="button" class="row-open" aria-label={`${OPENS[row.fate]} ${row.id}, ${who}, ${FATES[row.fate]}`} onClick={() => onShow(row)} />
      <div class="row-before">
        <p class="row-head">
          <b>{who}</b>
          {row.role === "assistant" && row.label && <span>{row.label}</span>}
          <span class="row-tokens">{row.fate === "summary" ? "" : count(row.tokensBefore)}</span>
        </p>
        {row.members ? (
          <p class="row-fold">
            <button type="button" class="link" aria-expanded={isOpen} onClick={() => onToggle(row.id)}>
              {isOpen ? "▾ Hide" : "▸ Show"} the {plural(row.members, "folded message")}
            </button>
            <span>{count(row.tokensBefore)} tokens in the view before it</span>
          </p>
        ) : (
          <p class="row-text">{row.before}</p>
        )}
      </div>
      <div class="row-after">
        <p class="row-head">
          <em class={`fate fate-${row.fate}`}>{FATES[row.fate]}</em>
          {row.fold && (
            <button type="button" class="link" onClick={() => onGoTo(row.fold!)}>
              into the summary ↑
            </button>
          )}
          {row.members && (
            <button type="button" class="link" onClick={() => onUnfold(row.id)}>
              unfold
            </button>
          )}
          {row.role !== "summary" && (
            <button type="button" class="link pin" aria-pressed={isPinned} aria-label={`Pin ${row.id}`} title={isPinned ? "Stays in every view; click to let it go" : "Let it stay in every view"} onClick={() => onPin(row.id)}>
              {isPinned ? "★ pinned" : "☆ pin"}
            </button>
          )}
          <span class="row-tokens">{row.fate === "folded" ? "0" : count(row.tokensAfter)}</span>
        </p>
        <p class="row-text">
          {row.after || (row.fate === "kept" ? "as it came" : "")}
          {row.ref && row.fate !== "kept" && <span class="row-ref"> {plural(row.lines ?? 0, "line")} in the cache as {row.ref}</span>}
        </p>
      </div>
    </article>
  );
}
