// The AI SDK's user interface (`useChat`, `UIMessage`s): shows folds among the messages. Neither the engine nor `ai` is imported, so
// that a page which shows folds loads little more than this file.
//
// Server and page have the same list in two shapes. Both can count its steps: a user message is one step, and so is each answer of
// the model with its tool outputs. So the server identifies the folded messages by their step numbers.

import { listOf, sessionWith } from "../given.js";

const KEY = "contextfold";

/** See ai-sdk-ui.d.ts. */
export function foldMetadata(session, messages = []) {
  foldsOf(session); // so that a wrong argument throws now, not in a stream
  let lastSent = JSON.stringify(newestOf(listOf(messages, "messages")));
  let hasWarned = false;
  return ({ part }) => {
    // The view of a step is final when the step starts.
    if (part.type !== "start-step" && part.type !== "finish") return undefined;
    try {
      const folds = foldsOf(session);
      const text = JSON.stringify(folds);
      if (text === lastSent) return undefined;
      lastSent = text;
      return { [KEY]: folds };
    } catch (error) {
      // Better to show the answer without dividers than no answer.
      if (!hasWarned) console.warn(`contextfold (ai-sdk-ui): the folds cannot be reported; the answer continues without them. ${error}`);
      hasWarned = true;
      return undefined;
    }
  };
}

/** See ai-sdk-ui.d.ts. */
export function foldsOf(session) {
  const all = new Map(sessionWith("folds", session).folds().map((fold) => [fold.id, fold]));
  const shown = [...all.values()].filter((fold) => fold.in_view);
  if (shown.length === 0) return [];
  const steps = stepsOf(session);
  const membersOf = ({ items }) => items.flatMap((id) => (all.has(id) ? membersOf(all.get(id)) : [id]));
  return shown.map((fold) => {
    const { id, summary, tokens_folded, tokens } = fold;
    const folded = membersOf(fold).map((member) => steps.get(member)); // what an earlier summariser retained is of no step
    return { id, summary, tokens_folded, tokens, steps: [...new Set(folded)].filter((step) => step >= 0).sort((a, b) => a - b) };
  });
}

/** Maps each message id of the history to its step number. */
function stepsOf(session) {
  const gone = new Set(session.leftOut().flatMap(({ id, state }) => (state === "removed" ? [id] : [])));
  const nodes = session.graph.nodes();
  const steps = new Map();
  let step = -1;
  for (const { id, lane, message } of nodes) {
    if (lane !== nodes[0].lane || gone.has(id)) continue;
    if (message?.role === "user" || message?.role === "assistant") step++;
    steps.set(id, step);
  }
  return steps;
}

/** See ai-sdk-ui.d.ts. */
export function withFolds(messages) {
  const folds = newestOf(listOf(messages, "messages"));
  if (folds.length === 0) return messages;
  const foldOf = new Map(folds.flatMap((fold) => fold.steps.map((step) => [step, fold])));
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const dividers = new Map();
  const list = [];
  let next = 0;
  const show = (message, fold) => {
    if (!fold) return list.push(message);
    if (!dividers.has(fold)) {
      dividers.set(fold, { ...fold, role: "fold", steps: fold.steps.length, folded: [] });
      list.push(dividers.get(fold));
    }
    dividers.get(fold).folded.push(message);
  };
  messages.forEach((message, n) => {
    const pieces = []; // more than one if only a part of the message is folded
    for (const parts of stepsIn(message, n < asked)) {
      const fold = foldOf.get(next++);
      if (pieces.length > 0 && pieces.at(-1).fold === fold) pieces.at(-1).parts.push(...parts);
      else pieces.push({ fold, parts: [...parts] });
    }
    if (pieces.length < 2) return show(message, pieces[0]?.fold);
    // The last piece keeps the id, for code that acts on the message.
    pieces.forEach(({ fold, parts }, i) => show({ ...message, parts, id: i === pieces.length - 1 ? message.id : `${message.id}#${i}` }, fold));
  });
  return list;
}

/** See ai-sdk-ui.d.ts. */
export function updateFolds(messages, folds) {
  const newest = listOf(messages, "messages").findLastIndex((message) => message?.metadata?.[KEY]);
  const at = newest < 0 ? messages.length - 1 : newest;
  return messages.map((message, n) => (n === at ? { ...message, metadata: { ...message?.metadata, [KEY]: folds } } : message));
}

const newestOf = (messages) => messages.findLast((message) => message?.metadata?.[KEY])?.metadata[KEY] ?? [];

/**
 * The parts of a message, grouped by step as in `convertToModelMessages`. Parts that are not sent to the model belong to the step
 * that they begin, or else to the step before.
 */
function stepsIn({ role, parts }, isPast) {
  if (role === "system") return []; // part of the header
  if (role === "user") return [parts];
  const steps = [];
  let waiting = []; // for the step that they begin
  let begins = true;
  for (const part of parts) {
    const isSteering = part.type === "steering-message"; // words of the user in the middle of an answer
    if (part.type === "step-start" || isSteering) begins = true;
    if (isSteering || (begins && isSent(part, isPast))) {
      steps.push([...waiting, part]);
      waiting = [];
      begins = isSteering;
    } else (begins ? waiting : steps.at(-1)).push(part);
  }
  steps.at(-1)?.push(...waiting);
  return steps;
}

const CONTENT = ["text", "reasoning", "reasoning-file", "file", "custom"];
const UNFINISHED = ["input-available", "approval-requested"];

/** Whether the part is sent to the model. A call without output is not sent any more once the user has gone on (`isPast`). */
function isSent({ type, state }, isPast) {
  if (CONTENT.includes(type)) return true;
  const isCall = type === "dynamic-tool" || type.startsWith("tool-");
  return isCall && state !== "input-streaming" && !(isPast && UNFINISHED.includes(state));
}
