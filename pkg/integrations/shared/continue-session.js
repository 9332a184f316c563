// For a loop that continues a session: puts the new request after what the session has.

import { convert } from "contextfold";
import { isInstruction } from "./header.js";

/** How the list of each session's last run began: perhaps with a record that another one has replaced since. */
const lastOpenings = new WeakMap();

/**
 * The list that a run begins with: the session's view followed by `asked`; or only `asked` if that is the whole conversation: it
 * begins like the session or like the list of its last run, and it has an answer if the session has one. Without the answer, it is new
 * input: people say "hi" twice.
 *
 * @param asked a text, or a list of `format`
 * @param headerApart whether the body has its instructions outside the list
 */
export function continuedList(session, format, asked, headerApart) {
  const list = listToContinue(session, format, asked, headerApart);
  if (Array.isArray(list)) lastOpenings.set(session, wordsOf(openingIn(list, format)));
  return list;
}

function listToContinue(session, format, asked, headerApart) {
  const list = typeof asked === "string" ? [{ role: "user", content: asked }] : asked;
  const { messages } = session;
  const opening = openingOf(messages);
  if (opening === undefined || !Array.isArray(list)) return list;
  const isWhole = typeof asked !== "string" && (hasAnswer(list) || !hasAnswer(messages)) && beginsAs(list, format, [wordsOf(opening), wordsOf(openingOf(session.view("messages"))), lastOpenings.get(session)]);
  if (isWhole) return list;
  const view = session.view(format);
  const [header, there] = splitHeader(view.input ?? view);
  const [said, more] = splitHeader(list);
  return [...(said.length > 0 ? said : headerApart ? [] : header), ...there, ...more];
}

function beginsAs(list, format, openings) {
  if (!list.some((entry) => !isInstruction(entry))) return false;
  const message = openingIn(list, format);
  return message === undefined || openings.includes(wordsOf(message)); // if the list is wrong, the session reports how when it takes it in
}

/** The message at the beginning of a list, after its instructions; `undefined` if it cannot be read. */
function openingIn(list, format) {
  try {
    return openingOf(convert(format, "messages", list.filter((entry) => !isInstruction(entry)).slice(0, 1)));
  } catch {
    return undefined;
  }
}

/** Whether there is anything that did not come from the user: an answer, or (in lists of Responses) a part of one. */
const hasAnswer = (entries) => entries.some((entry) => !isInstruction(entry) && entry?.role !== "user");

const openingOf = (messages) => messages.find((message) => !isInstruction(message));

/** What identifies a message: its role, text and call ids. */
const wordsOf = (message) => message && JSON.stringify([message.role, textOf(message.content), (message.tool_calls ?? []).map(({ id }) => id), message.tool_call_id]);

const textOf = (content) => (Array.isArray(content) ? content.map((part) => part.text ?? "").join("") : (content ?? ""));

/** Splits a list into the instructions at its beginning and the rest. */
function splitHeader(list) {
  const end = list.findIndex((entry) => !isInstruction(entry));
  return end < 0 ? [list, []] : [list.slice(0, end), list.slice(end)];
}
