// One message in full: its text, or its tool output from the store.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Detail, Row, Trouble } from "../engine/protocol";
import { FATES, reasonOf } from "./fates";
import { OutputReader } from "./OutputReader";
import { TroubleNotice } from "./TroubleNotice";
import { bytes, count, plural } from "./numbers";
import { ask, wordsOf } from "./useEngine";

export function MessageDialog({ row, pinned, onPin, onClose }: { row: Row; pinned: boolean; onPin: (id: string) => void; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [detail, setDetail] = useState<Detail | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  useEffect(() => {
    dialog.current!.showModal();
    let gone = false;
    ask("detail", row.id).then(
      (found) => gone || setDetail(found),
      (error) => gone || setTrouble(wordsOf(error)),
    );
    return () => void (gone = true);
  }, [row.id]);
  const output = row.ref ? { ref: row.ref, lines: row.lines ?? 0, bytes: row.bytes ?? 0 } : detail?.output;
  const title = row.role === "tool" ? `Output of ${row.label}` : row.role === "summary" ? "Summary" : `${row.role} message`;
  const changed = detail && detail.after !== "" && detail.after !== detail.before;
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="dialog-title"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <div>
            <h2 id="dialog-title">{title}</h2>
            <p>
              <em class={`fate fate-${row.fate}`}>{FATES[row.fate]}</em> {row.id} · {count(row.tokensBefore)} → {count(row.tokensAfter)} tokens
              {output && ` · ${output.ref}, ${plural(output.lines, "line")}, ${bytes(output.bytes)}`}
            </p>
          </div>
          {row.role !== "summary" && (
            <button type="button" class="button" aria-pressed={pinned} onClick={() => onPin(row.id)}>
              {pinned ? "★ Pinned" : "☆ Pin"}
            </button>
          )}
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </header>
        {row.why && <p class="dialog-why">{reasonOf(row)}.</p>}
        {trouble && <TroubleNotice trouble={trouble} />}
        {output ? <OutputReader refId={output.ref} lines={output.lines} /> : detail?.before && <Text title={changed ? "As it came" : ""} text={detail.before} />}
        {changed && <Text title={row.role === "summary" ? "" : "In the view"} text={detail.after} fromEnd={row.fate === "cut"} />}
      </div>
    </dialog>
  );
}

/** `fromEnd`: scrolls to the end first, because there the engine says what it has cut. */
function Text({ title, text, fromEnd = false }: { title: string; text: string; fromEnd?: boolean }) {
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (fromEnd) box.current!.scrollTop = box.current!.scrollHeight;
  }, [fromEnd, text]);
  return (
    <section class="text">
      {title && <h3>{title}</h3>}
      <pre ref={box} tabIndex={0} aria-label={title || "Text"}>
        {text}
      </pre>
    </section>
  );
}
