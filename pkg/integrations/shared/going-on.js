// A loop that continues a session: the new request comes after what the session has.

import { convert } from "contextfold";
import { isInstruction } from "./header.js";

/**
 * The list that a run begins with: what the session shows and what is asked behind it; or what is asked alone, where that begins as the
 * session does, for then it is all of the conversation.
 *
 * @param asked a text, or a list of `format`
 * @param headerApart the body says its instructions beside the list
 */
export function goingOn(session, format, asked, headerApart) {
  const list = typeof asked === "string" ? [{ role: "user", content: asked }] : asked;
  const opening = openingOf(session.messages);
  if (opening === undefined || !Array.isArray(list) || (typeof asked !== "string" && beginsAs(list, format, [opening, openingOf(session.view("messages"))]))) return list;
  const view = session.view(format);
  const [header, there] = parted(view.input ?? view);
  const [said, more] = parted(list);
  return [...(said.length > 0 ? said : headerApart ? [] : header), ...there, ...more];
}

function beginsAs(list, format, openings) {
  const first = list.find((entry) => !isInstruction(entry));
  if (first === undefined) return false;
  try {
    const message = openingOf(convert(format, "messages", [first]));
    return message === undefined || openings.some((opening) => wordsOf(opening) === wordsOf(message));
  } catch {
    return true; // who takes the list in says what is wrong with it
  }
}

const openingOf = (messages) => messages.find((message) => !isInstruction(message));

/** Role and text of an entry, in any shape. */
const wordsOf = (message) => message && JSON.stringify([message.role, textOf(message.content), (message.tool_calls ?? []).map(({ id }) => id), message.tool_call_id]);

const textOf = (content) => (Array.isArray(content) ? content.map((part) => part.text ?? "").join("") : (content ?? ""));

/** The instructions at the beginning of a list, and what stands behind them. */
function parted(list) {
  const end = list.findIndex((entry) => !isInstruction(entry));
  return end < 0 ? [list, []] : [list.slice(0, end), list.slice(end)];
}
