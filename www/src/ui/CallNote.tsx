// A note on a call, next to its bar: its tokens by part, what was done before it, and what that cost the prompt cache.

import type { Call } from "../engine/protocol";
import { count, dollars } from "./numbers";
import { partColour, partName, partNames } from "./parts";
import { passesOf } from "./timelineDrawing";

export function CallNote({ call, at, x }: { call: Call; at: number; x: number }) {
  const side = x > 0.5 ? { right: `${100 - 100 * x}%` } : { left: `${100 * x}%` };
  return (
    <div class="call-note" style={side} aria-hidden="true">
      <b>
        Call {count(at + 1)} · {count(call.tokens)} tokens
      </b>
      <ul>
        {partNames(call.parts).map((name) => {
          const tokens = call.parts.find((part) => part.name === name)!.tokens;
          return (
            tokens > 0 && (
              <li key={name}>
                <i style={{ background: partColour(name) }} /> {partName(name)} <span>{count(tokens)}</span>
              </li>
            )
          );
        })}
      </ul>
      {call.decisions.length > 0 && <p>Before it: {passesOf(call)}</p>}
      {call.lost > 0 && <p>{count(call.lost)} tokens lost from the prompt cache{call.brokenBy && ` to ${call.brokenBy}`}</p>}
      {call.cost !== null && <p>{dollars(call.cost)}</p>}
    </div>
  );
}
