import type { Trouble } from "../engine/protocol";
import { count, plural } from "./numbers";

interface Props {
  trouble: Trouble;
  /** Opens the refused file anyway: in part, or repaired. */
  onOpenAnyway?: (how: { partial?: boolean; repaired?: boolean }) => void;
}

export function TroubleNotice({ trouble: { title, detail, code, place, readable, broken, repairs }, onOpenAnyway }: Props) {
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
      {broken && broken.length > 0 && (
        <ul class="broken" aria-label="What its provider would refuse">
          {broken.map(({ rule, index, message }, at) => (
            <li key={at}>
              entry {index}: {message} <code>{rule}</code>
            </li>
          ))}
        </ul>
      )}
      {onOpenAnyway && (readable || repairs) && (
        <p class="trouble-ways">
          {repairs && (
            <button type="button" class="button button-strong" onClick={() => onOpenAnyway({ repaired: true })}>
              Repair and open
            </button>
          )}
          {repairs && <span>{plural(repairs, "change")}, in this page only; each is told then.</span>}
          {readable && (
            <button type="button" class="button" onClick={() => onOpenAnyway({ partial: true })}>
              Read the {readable === 1 ? "entry" : `${count(readable)} entries`} that can be read
            </button>
          )}
        </p>
      )}
    </div>
  );
}
