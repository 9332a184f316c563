// The sources of a transcript: the sample, a file picker, or a file dropped anywhere on the page.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import sampleUrl from "../../../examples/transcript.responses.json?url";
import type { Opened, Progress } from "../engine/protocol";

interface Props {
  opened: Opened | null;
  /** Whether the page shows nothing else and asks for a file. */
  alone: boolean;
  busy: "reading" | "running" | null;
  progress: Progress | null;
  onCancel: () => void;
  onFile: (file: Blob | Promise<Blob>, name: string) => unknown;
}

/** The sample's name, shown in place of a file name. */
export const SAMPLE = "the sample";

export function Source({ opened, alone, busy: doing, progress, onFile, onCancel }: Props) {
  const busy = doing === "reading";
  const slow = useSlow(doing !== null);
  const input = useRef<HTMLInputElement>(null);
  const over = useDrop((file) => onFile(file, file.name));
  const useSample = () => onFile(fetchSample(), SAMPLE);
  return (
    <section class={`source${alone ? "" : " source-small"}${over ? " source-over" : ""}`} aria-label="Transcript" aria-busy={busy}>
      {alone && (
        <>
          <h2>Drop an agent’s transcript here</h2>
          <p>
            A Claude Code session, a Codex rollout, or messages of OpenAI, Anthropic or the AI SDK, as JSON or JSON lines. It never leaves this page.
          </p>
        </>
      )}
      <div class="source-buttons">
        <button type="button" class={alone ? "button button-strong" : "button"} onClick={useSample} disabled={busy}>
          Use the sample
        </button>
        <button type="button" class={alone ? "button" : "button button-strong"} onClick={() => input.current?.click()} disabled={busy}>
          Choose a file…
        </button>
        <input
          ref={input}
          type="file"
          class="unseen"
          tabIndex={-1}
          aria-label="Transcript file"
          accept=".json,.jsonl,.ndjson,.txt,application/json"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            event.currentTarget.value = ""; // so that the same file can be chosen again
            if (file) onFile(file, file.name);
          }}
        />
        <span class="source-hint" role="status">
          {busy || slow ? `${progress?.doing ?? (busy ? "Reading" : "Running")}…` : alone ? "The sample: a scripted agent at work on this very project, with real tool outputs." : opened?.name === SAMPLE ? "This is the sample: an agent at work on this very project. Drop a session of your own anywhere; it never leaves this page." : "or drop another file anywhere; it never leaves this page"}
        </span>
        {(busy || slow) && (
          <span class="source-progress">
            <progress max={1} aria-label="Progress" {...(progress?.share != null && { value: progress.share })} />
            <button type="button" class="button" onClick={onCancel}>
              Cancel
            </button>
          </span>
        )}
      </div>
    </section>
  );
}

/** Whether the current work has taken so long that the visitor may want to stop it. */
function useSlow(busy: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!busy) return setSlow(false);
    const timer = setTimeout(() => setSlow(true), 1_000);
    return () => clearTimeout(timer);
  }, [busy]);
  return slow;
}

export async function fetchSample(): Promise<Blob> {
  const response = await fetch(sampleUrl);
  if (!response.ok) throw new Error(`The sample could not be fetched: the server answers ${response.status}.`);
  return response.blob();
}

/** Accepts files dropped anywhere on the page. Returns whether one is being dragged over it. */
function useDrop(onDrop: (file: File) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  // A layout effect, because a plain effect waits for the next frame, and a file dropped until then would be lost.
  useLayoutEffect(() => {
    const stop = new AbortController();
    const on = (type: "dragover" | "dragleave" | "drop", listener: (event: DragEvent) => void) =>
      window.addEventListener(type, listener, { signal: stop.signal });
    on("dragover", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    });
    on("dragleave", (event) => event.relatedTarget === null && setOver(false));
    on("drop", (event) => {
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      latest.current(file);
    });
    return () => stop.abort();
  }, []);
  return over;
}
