// The view as a provider takes it, to copy.

import { useEffect, useState } from "preact/hooks";
import { FORMATS, type Outcome, type PageFormat, type Trouble } from "../engine/protocol";
import { TroubleNotice } from "./TroubleNotice";
import { bytes } from "./numbers";
import { ask, wordsOf } from "./useEngine";

/** Characters that are shown; copying takes them all. */
const SHOWN = 20_000;

const NAMES: Record<PageFormat, string> = {
  "openai-responses": "OpenAI Responses",
  "openai-chat": "Chat Completions",
  messages: "contextfold messages",
};

export function ViewJson({ outcome, initial }: { outcome: Outcome; initial: PageFormat }) {
  const [isOpen, setOpen] = useState(false);
  const [format, setFormat] = useState<PageFormat>(initial === "openai-chat" ? "openai-chat" : "openai-responses");
  const [json, setJson] = useState("");
  const [copied, setCopied] = useState("");
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  useEffect(() => {
    if (!isOpen) return;
    let gone = false;
    setCopied("");
    ask("view", format).then(
      (text) => gone || (setJson(text), setTrouble(null)),
      (error) => gone || setTrouble(wordsOf(error)),
    );
    return () => void (gone = true);
  }, [isOpen, format, outcome]);
  const copy = () =>
    navigator.clipboard.writeText(json).then(
      () => setCopied("Copied."),
      () => setCopied("The browser did not allow it: select the text instead."),
    );
  return (
    <details class="panel view-json" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>The view as JSON</h2>
      </summary>
      <div class="view-json-line">
        <label>
          Format{" "}
          <select value={format} onChange={(event) => setFormat(event.currentTarget.value as PageFormat)}>
            {FORMATS.map((name) => (
              <option key={name} value={name}>
                {NAMES[name]}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="button" onClick={copy} disabled={json === ""}>
          Copy {json && bytes(new Blob([json]).size)}
        </button>
        <span class="quiet" role="status">
          {copied}
        </span>
      </div>
      {trouble && <TroubleNotice trouble={trouble} />}
      <pre tabIndex={0} aria-label="JSON">
        {json.slice(0, SHOWN)}
        {json.length > SHOWN && "\n… (Copy takes all of it)"}
      </pre>
    </details>
  );
}
