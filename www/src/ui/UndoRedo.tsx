// Undo and redo: buttons, and keys that work everywhere on the page.

import { useEffect, useRef } from "preact/hooks";

interface Props {
  /** Descriptions of what would be undone and redone; `null`: nothing. */
  undoes: string | null;
  redoes: string | null;
  onUndo: () => void;
  onRedo: () => void;
}

export function UndoRedo({ undoes, redoes, onUndo, onRedo }: Props) {
  const latest = useRef({ onUndo, onRedo });
  latest.current = { onUndo, onRedo };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      if (!(event.ctrlKey || event.metaKey) || event.altKey || (key !== "z" && key !== "y") || isTyping(event.target)) return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) latest.current.onRedo();
      else latest.current.onUndo();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
  return (
    <span class="button-group" role="group" aria-label="Steps">
      <button type="button" class="button" disabled={undoes === null} title={undoes === null ? "Nothing to undo" : `Undo: ${undoes} (Ctrl+Z)`} onClick={onUndo}>
        ↶ Undo
      </button>
      <button type="button" class="button" disabled={redoes === null} title={redoes === null ? "Nothing to do again" : `Redo: ${redoes} (Ctrl+Shift+Z)`} onClick={onRedo}>
        ↷ Redo
      </button>
    </span>
  );
}

/** Whether the keys belong to a text field. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLInputElement)) return target instanceof HTMLTextAreaElement;
  return !["range", "checkbox", "button", "file"].includes(target.type);
}
