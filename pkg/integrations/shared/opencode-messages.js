// Converts opencode's messages to the AI SDK's, and back. An answer of opencode holds its calls together with their outputs. It is
// split into two pieces (what the model said, and the tool outputs) and put together again.

import { Mirror } from "./mirror.js";

/** The pieces of a list, without messages that opencode does not send. */
export const piecesOf = (messages) => messages.flatMap((message) => (isSent(message.info, message.parts) ? [new Piece(message, saidIn(message)), new Piece(message, outputsOf(message))] : [])).filter(({ entry }) => entry.content.length > 0);

/** A mirror between pieces and the AI SDK's messages. */
export const opencodePieces = () => new Mirror(({ entry }) => entry, (entry) => new Piece(undefined, entry));

/** Puts the pieces together into messages. Messages that no pass has changed are taken from `messages` as they are. */
export function messagesOf(pieces, messages) {
  const byId = new Map(messages.map((message) => [message.info.id, message]));
  const byPart = new Map(messages.flatMap((message) => message.parts.map(({ id }) => [id, message])));
  const groups = [];
  for (const piece of pieces) {
    if (piece.entry.role === "tool" && groups.length > 0) groups.at(-1).outputs = piece;
    else groups.push({ said: piece });
  }
  return groups.map(({ said, outputs }) => {
    const id = said.entry.content[0]?.providerOptions?.opencode?.part;
    const original = byId.get(said.message?.info.id) ?? byPart.get(id) ?? said.message;
    if (!original) return newMessage(said.entry, messages);
    return said.message && (!outputs || outputs.message) ? original : rewritten(original, said, outputs);
  });
}

/** Either what was said in a message, or the outputs of its calls. If a pass wrote it, `message` is undefined. */
class Piece {
  constructor(message, entry) {
    this.message = message;
    this.entry = entry;
  }
}

/** opencode does not send failed answers, except one that was aborted after it had said something. */
function isSent({ role, error }, parts) {
  if (role === "user" || !error) return true;
  return error.name === "MessageAbortedError" && parts.some(({ type }) => type !== "step-start" && type !== "reasoning");
}

const saidIn = ({ info, parts }) => ({ role: info.role, content: parts.flatMap(info.role === "user" ? askedIn : answeredIn) });

function askedIn(part) {
  const own = ownOf(part);
  if (part.type === "text") return part.ignored || part.text === "" ? [] : [{ type: "text", text: part.text, ...own }];
  if (part.type === "compaction") return [{ type: "text", text: "What did we do so far?", ...own }];
  if (part.type === "subtask") return [{ type: "text", text: "The following tool was executed by the user", ...own }];
  if (part.type !== "file" || part.mime === "text/plain" || part.mime === "application/x-directory") return [];
  return [part.mime.startsWith("image/") ? { type: "image", image: part.url, mediaType: part.mime, ...own } : { type: "file", data: part.url, mediaType: part.mime, filename: part.filename, ...own }];
}

function answeredIn(part) {
  if (part.type === "tool") return [{ type: "tool-call", toolCallId: part.callID, toolName: part.tool, input: part.state.input ?? {}, ...ownOf(part) }];
  return (part.type === "text" || part.type === "reasoning") && part.text !== "" ? [{ type: part.type, text: part.text, ...ownOf(part) }] : [];
}

/** The provider-specific metadata of a part, and its id. */
function ownOf({ id, metadata }) {
  const ofProviders = Object.entries(metadata ?? {}).filter(([, value]) => typeof value === "object" && value !== null);
  return { providerOptions: { ...Object.fromEntries(ofProviders), opencode: { part: id } } };
}

const outputsOf = ({ info, parts }) => ({
  role: "tool",
  content: info.role === "user" ? [] : parts.filter(({ type }) => type === "tool").map(({ callID, tool, state }) => ({ type: "tool-result", toolCallId: callID, toolName: tool, output: outputOf(state) })),
});

function outputOf({ status, output, error, time, attachments = [], metadata }) {
  if (status === "error") return metadata?.interrupted === true && typeof metadata.output === "string" ? { type: "text", value: metadata.output } : { type: "error-text", value: error };
  if (status !== "completed") return { type: "error-text", value: "[Tool execution was interrupted]" };
  if (time?.compacted) return { type: "text", value: "[Old tool result content cleared]" };
  const media = attachments.filter(({ url }) => /^data:[^,]*,/.test(url));
  if (media.length === 0) return { type: "text", value: output };
  return { type: "content", value: [{ type: "text", text: output }, ...media.map(({ url, mime }) => ({ type: "media", data: url.slice(url.indexOf(",") + 1), mediaType: mime }))] };
}

/** A message with the parts, texts and outputs that a pass has left of it. */
function rewritten({ info, parts }, said, outputs) {
  const left = new Map(said.entry.content.map((part) => [part.providerOptions?.opencode?.part, part]));
  const results = new Map((outputs?.entry.content ?? []).map(({ toolCallId, output }) => [toolCallId, output]));
  const wasSaid = new Set(saidIn({ info, parts }).content.map(({ providerOptions }) => providerOptions.opencode.part));
  const kept = parts.flatMap((part) => {
    const now = left.get(part.id);
    if (said.message || !wasSaid.has(part.id)) return [part];
    if (!now) return [];
    const { opencode, ...ofProviders } = now.providerOptions;
    const others = Object.entries(part.metadata ?? {}).filter(([, value]) => typeof value !== "object" || value === null);
    const metadata = part.metadata && { metadata: { ...Object.fromEntries(others), ...ofProviders } };
    if (part.type === "tool") return [{ ...part, ...metadata, state: { ...part.state, input: isObject(now.input) ? now.input : { shortened: now.input } } }];
    return [typeof now.text === "string" && typeof part.text === "string" ? { ...part, ...metadata, text: now.text } : part];
  });
  return { info, parts: kept.map((part) => (part.type === "tool" && outputs && !outputs.message && results.has(part.callID) ? { ...part, state: stateWith(part.state, results.get(part.callID)) } : part)) };
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function stateWith(state, { type, value }) {
  const parts = type === "content" ? value : [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }];
  const text = parts.filter((part) => part.type === "text").map((part) => part.text).join("\n");
  if (state.status === "completed") return { ...state, output: text, attachments: parts.some((part) => part.type !== "text") ? state.attachments : [] };
  return state.status === "error" ? { ...state, error: text } : state;
}

/** A new user message that replaces others, such as a summary. */
function newMessage({ content }, messages) {
  const like = (messages.find(({ info }) => info.role === "user") ?? messages[0]).info;
  const { id, sessionID, time, agent, model } = like;
  const messageID = `${id}_summary`;
  const texts = typeof content === "string" ? [content] : content.map((part) => part.text ?? "");
  return { info: { id: messageID, sessionID, role: "user", time, agent, model }, parts: texts.map((text, n) => ({ id: `${messageID}_${n}`, sessionID, messageID, type: "text", text, synthetic: true })) };
}
