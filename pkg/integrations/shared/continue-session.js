// For a loop that continues a session: puts the new request after what the session has.

import { convert } from "contextfold";
import { isInstruction } from "./header.js";

/**
 * The list that a run begins with: the session's view followed by `asked`; or only `asked` if it begins like the session, because
 * then it is the whole conversation.
 *
 * @param asked a text, or a list of `format`
 * @param headerApart whether the body has its instructions outside the list
 */
export function continuedList(session, format, asked, headerApart) {
  const list = typeof asked === "string" ? [{ role: "user", content: asked }] : asked;
  const opening = openingOf(session.messages);
  if (opening === undefined || !Array.isArray(list) || (typeof asked !== "string" && beginsAs(list, format, [opening, openingOf(session.view("messages"))]))) return list;
  const view = session.view(format);
  const [header, there] = splitHeader(view.input ?? view);
  const [said, more] = splitHeader(list);
  return [...(said.length > 0 ? said : headerApart ? [] : header), ...there, ...more];
}

function beginsAs(list, format, openings) {
  const first = list.find((entry) => !isInstruction(entry));
  if (first === undefined) return false;
  try {
    const message = openingOf(convert(format, "messages", [first]));
    return message === undefined || openings.some((opening) => wordsOf(opening) === wordsOf(message));
  } catch {
    return true; // the list is wrong; the session reports how when it takes the list in
  }
}

const openingOf = (messages) => messages.find((message) => !isInstruction(message));

/** What identifies a message: its role, text and call ids. */
const wordsOf = (message) => message && JSON.stringify([message.role, textOf(message.content), (message.tool_calls ?? []).map(({ id }) => id), message.tool_call_id]);

const textOf = (content) => (Array.isArray(content) ? content.map((part) => part.text ?? "").join("") : (content ?? ""));

/** Splits a list into the instructions at its beginning and the rest. */
function splitHeader(list) {
  const end = list.findIndex((entry) => !isInstruction(entry));
  return end < 0 ? [list, []] : [list.slice(0, end), list.slice(end)];
}
