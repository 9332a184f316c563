// One message, before and after.

import type { MessageState, Row } from "../engine/protocol";
import { FATES, reasonOf } from "./fates";
import { count, plural } from "./numbers";

const OPENS: Partial<Record<MessageState, string>> = { cut: "Open the output of", placeholder: "Open the output of", truncated: "Open the output of", pointer: "Open the output of", summary: "Read" };

interface Props {
  row: Row;
  isActive: boolean;
  isOpen: boolean;
  isPinned: boolean;
  onPin: (id: string) => void;
  onUnfold: (id: string) => void;
  onShow: (row: Row) => void;
  onToggle: (id: string) => void;
  onGoTo: (id: string) => void;
}

export function MessageRow({ row, isActive, isOpen, isPinned, onShow, onToggle, onGoTo, onPin, onUnfold }: Props) {
  const who = row.role === "tool" ? row.label : row.role === "summary" && row.members ? "fold" : row.role;
  return (
    <article class={`row row-${row.fate} role-${row.role}`}>
      <button type="button" tabIndex={isActive ? 0 : -1} class="row-open" aria-label={`${OPENS[row.fate] ?? "Show"} ${row.id}, ${who}, ${FATES[row.fate]}`} onClick={() => onShow(row)} />
      <div class="row-before">
        <p class="row-head">
          <b>{who}</b>
          {row.role === "assistant" && row.label && <span>{row.label}</span>}
          <span class="row-tokens">{row.fate === "summary" ? "" : count(row.tokensBefore)}</span>
        </p>
        {row.members ? (
          <p class="row-fold">
            <button type="button" tabIndex={isActive ? 0 : -1} class="link" aria-expanded={isOpen} onClick={() => onToggle(row.id)}>
              {isOpen ? "▾ Hide" : "▸ Show"} the {plural(row.members, "folded message")}
            </button>
            <span>{count(row.tokensBefore)} tokens in the view before it</span>
          </p>
        ) : (
          <p class="row-text">{row.before}</p>
        )}
      </div>
      <div class="row-after" title={reasonOf(row)}>
        <p class="row-head">
          <em class={`fate fate-${row.fate}`}>{FATES[row.fate]}</em>
          {row.fold && (
            <button type="button" tabIndex={isActive ? 0 : -1} class="link" onClick={() => onGoTo(row.fold!)}>
              into the summary ↑
            </button>
          )}
          {row.members && (
            <button type="button" tabIndex={isActive ? 0 : -1} class="link" onClick={() => onUnfold(row.id)}>
              unfold
            </button>
          )}
          {row.role !== "summary" && (
            <button type="button" tabIndex={isActive ? 0 : -1} class="link pin" aria-pressed={isPinned} aria-label={`Pin ${row.id}`} title={isPinned ? "Stays in every view; click to let it go" : "Let it stay in every view"} onClick={() => onPin(row.id)}>
              {isPinned ? "★ pinned" : "☆ pin"}
            </button>
          )}
          <span class="row-tokens">{count(row.tokensAfter)}</span>
        </p>
        <p class="row-text">
          {row.after || (row.fate === "kept" ? "as it came" : reasonOf(row))}
          {row.ref && row.fate !== "kept" && <span class="row-ref"> {plural(row.lines ?? 0, "line")} in the cache as {row.ref}</span>}
        </p>
      </div>
    </article>
  );
}
