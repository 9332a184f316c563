// Converts errors to descriptions for the visitor: what was wrong, and where.

import { ContextError } from "contextfold";
import { TranscriptError } from "contextfold/transcript";
import type { Trouble } from "./protocol";
import { TroubleError } from "./trouble";

const TITLES = { empty: "The file is empty", broken: "The JSON is broken", foreign: "This is JSON, but no transcript" };

/** Describes any thrown value to the visitor. */
export function troubleOf(thrown: unknown, title: string): Trouble {
  if (thrown instanceof TroubleError) return thrown.trouble;
  if (thrown instanceof TranscriptError) return ofTranscript(thrown);
  if (ContextError.isInstance(thrown)) {
    // The cause, such as an error of the visitor's own summariser, says more.
    const cause = thrown.cause instanceof Error && !thrown.message.includes(thrown.cause.message) ? ` ${sentence(thrown.cause.message)}` : "";
    return { title, detail: sentence(thrown.message) + cause, code: thrown.code };
  }
  return { title, detail: sentence(thrown instanceof Error ? thrown.message : String(thrown)) };
}

function ofTranscript({ kind, what, place, readable }: TranscriptError): Trouble {
  const noJson = kind === "broken" && place?.line === 1 && place.column === 1;
  return {
    title: noJson ? "This is no JSON" : TITLES[kind],
    detail: sentence(place ? place.what : `It ${what}`),
    ...(place && { place }),
    ...(readable > 0 && { readable }),
  };
}

function sentence(text: string): string {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?)]$/.test(upper) ? upper : `${upper}.`;
}
