import type { Trouble } from "../engine/protocol";
import { count } from "./numbers";

export function TroubleNotice({ trouble: { title, detail, code, place, readable }, onReadPart }: { trouble: Trouble; onReadPart?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <strong>{title}</strong> {code && <code>{code}</code>}
      <p>{detail}</p>
      {place && (
        <figure>
          <figcaption>
            line {place.line}, column {place.column}
          </figcaption>
          <pre>
            {place.excerpt.slice(0, place.caret)}
            <mark>{place.excerpt.slice(place.caret, place.caret + 1) || " "}</mark>
            {place.excerpt.slice(place.caret + 1)}
          </pre>
        </figure>
      )}
      {readable && onReadPart && (
        <p>
          <button type="button" class="button" onClick={onReadPart}>
            Read the {readable === 1 ? "entry" : `${count(readable)} entries`} that can be read
          </button>
        </p>
      )}
    </div>
  );
}
