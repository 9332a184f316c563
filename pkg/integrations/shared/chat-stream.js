// Reassembles a completion from a stream of Chat Completions chunks.

/** The completion; `undefined` if the stream ended before the completion was finished. */
export async function completionOf(chunks) {
  let whole;
  const choices = new Map();
  for await (const { choices: pieces = [], usage, ...rest } of chunks) {
    whole = { ...rest, ...withoutEmpty(whole), ...(usage && { usage }) };
    for (const { index = 0, delta, ...ends } of pieces) {
      const choice = choices.get(index) ?? { index, message: { role: "assistant", content: null } };
      choices.set(index, { ...choice, ...withoutNulls(ends), message: appended(choice.message, delta ?? {}) });
    }
  }
  if (!choices.size || [...choices.values()].some(({ finish_reason }) => !finish_reason)) return undefined;
  const inOrder = [...choices.values()].sort((a, b) => a.index - b.index);
  return { ...whole, object: "chat.completion", choices: inOrder.map((choice) => ({ ...choice, message: withCalls(choice.message) })) };
}

/** Drops empty texts: Azure's first chunk has an empty id and model. */
const withoutEmpty = (record = {}) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ""));

/** Repairs calls: some gateways leave out a call's type, or count calls from 1. */
const withCalls = ({ tool_calls, ...message }) => (tool_calls ? { ...message, tool_calls: tool_calls.filter(Boolean).map((call) => ({ type: "function", ...call })) } : message);

/** Keys whose values come once and are not concatenated, because some gateways repeat them in every chunk. */
const SAID_ONCE = new Set(["role", "id", "type", "index", "format"]);

/** Appends a delta: texts are concatenated, lists are merged by the `index` of their entries, objects by their keys. */
function appended(value, piece) {
  if (piece === null || piece === undefined) return value;
  if (typeof piece === "string") return (value ?? "") + piece;
  if (Array.isArray(piece)) return piece.reduce(withEntry, value ?? []);
  if (typeof piece !== "object") return piece;
  const out = { ...value };
  for (const [key, more] of Object.entries(piece)) {
    if (more === null) out[key] ??= null;
    else if (key === "name" && out[key] === more) continue; // repeated whole; otherwise it comes in pieces
    else out[key] = SAID_ONCE.has(key) && typeof more === "string" && more !== "" ? more : appended(out[key], more);
  }
  return out;
}

function withEntry(list, entry) {
  const { index, ...piece } = entry ?? {};
  if (index === undefined) return [...list, entry];
  const out = [...list];
  out[index] = appended(out[index], piece);
  return out;
}

const withoutNulls = (record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined));
