import type { Trouble } from "../engine/protocol";

export function TroubleNotice({ trouble: { title, detail, code, place } }: { trouble: Trouble }) {
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
    </div>
  );
}
