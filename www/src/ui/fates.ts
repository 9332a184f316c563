// Describes what happened to messages.

import type { MessageState, Row } from "../engine/protocol";
import { count } from "./numbers";

/** What happened to a message, in one word. */
export const FATES: Record<MessageState, string> = {
  kept: "kept",
  cut: "cut",
  truncated: "head and tail",
  placeholder: "placeholder",
  shortened: "shortened",
  compressed: "compressed",
  stripped: "without its calls",
  pointer: "pointer",
  unbound: "without thinking",
  media_trimmed: "without media",
  merged: "merged into the prompt",
  folded: "folded",
  dropped: "dropped",
  removed: "removed",
  summary: "summary",
};

/** Whether the message is in the view, in any form. */
export const isInView = ({ fate }: Row) => fate !== "folded" && fate !== "dropped" && fate !== "removed" && fate !== "merged";

const BACK = { unfold: "unfolding brings it back", pin: "a pin brings it back", get: "its output is in the store: reading it and a pin bring it back" };

/** Why a message was changed or left out, by which pass, when, and what brings it back. */
export function reasonOf({ fate, pass, since, why, back }: Row): string {
  if (!why) return "";
  const by = `${FATES[fate]}${pass ? ` by ${pass}` : ""}${since === undefined ? "" : ` before call ${count(since + 1)}`}`;
  return `${by}: ${why}; ${back ? BACK[back] : "it does not come back, and its text is still here"}`;
}
