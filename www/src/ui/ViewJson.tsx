// The view as a provider accepts it, to copy.

import { useEffect, useState } from "preact/hooks";
import type { Format, Violation } from "contextfold";
import { FORMATS, type Moment, type Trouble } from "../engine/protocol";
import { TroubleNotice } from "./TroubleNotice";
import { FORMAT_NAMES } from "./formats";
import { bytes, plural } from "./numbers";
import { ask, wordsOf } from "./useEngine";

/** How many characters are shown. Copying copies everything. */
const SHOWN = 20_000;

export function ViewJson({ moment, initial }: { moment: Moment; initial: Format }) {
  const [isOpen, setOpen] = useState(false);
  const [format, setFormat] = useState<Format>(initial);
  const [json, setJson] = useState("");
  const [violations, setViolations] = useState<Violation[] | null>(null);
  const [copied, setCopied] = useState("");
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  useEffect(() => {
    if (!isOpen) return;
    let gone = false;
    setCopied("");
    ask("view", format).then(
      (written) => gone || (setJson(written.json), setViolations(written.violations), setTrouble(null)),
      (error) => gone || wordsOf(error).superseded || setTrouble(wordsOf(error)),
    );
    return () => void (gone = true);
  }, [isOpen, format, moment]);
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
          <select value={format} onChange={(event) => setFormat(event.currentTarget.value as Format)}>
            {FORMATS.map((name) => (
              <option key={name} value={name}>
                {FORMAT_NAMES[name]}
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
      {violations && <Validity violations={violations} format={format} />}
      {trouble && <TroubleNotice trouble={trouble} />}
      <pre tabIndex={0} aria-label="JSON">
        {json.slice(0, SHOWN)}
        {json.length > SHOWN && "\n… (Copy takes all of it)"}
      </pre>
    </details>
  );
}

/** Whether the view obeys the provider's rules. */
function Validity({ violations, format }: { violations: Violation[]; format: Format }) {
  const errors = violations.filter((found) => found.severity === "error");
  if (errors.length === 0)
    return (
      <p class="validity good" data-testid="validity">
        ✓ valid: nothing that {FORMAT_NAMES[format]} would refuse{violations.length > 0 && <span class="quiet"> ({plural(violations.length, "warning")})</span>}
      </p>
    );
  return (
    <div class="validity bad" data-testid="validity">
      <p>✗ {plural(errors.length, "rule")} broken</p>
      <ul>
        {errors.slice(0, 5).map((found, i) => (
          <li key={i}>
            <code>{found.rule}</code> [{found.index}] {found.message}
          </li>
        ))}
      </ul>
    </div>
  );
}
