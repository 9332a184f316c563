// Converts a transcript to a session and back, with the engine's options from the flags.

import { Session, encodingForModel, loadEncoding } from "contextfold";

/** The session's options for these flags. */
export function sessionOptions(flags) {
  const options = {
    model: flags.model,
    contextWindow: flags.window,
    reservedOutputTokens: flags.reserve,
    tokenizer: flags.tokenizer,
    ladder: flags.preset,
    compaction: flags["threshold-ratio"] === undefined ? undefined : { thresholdRatio: flags["threshold-ratio"] },
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

const ENCODINGS = ["o200k_base", "cl100k_base"];

/** Replaces the name of an encoding in the flags by the loaded encoding. Default tokenizer: the model's own, if it is public. */
export async function withEncoding(flags) {
  const name = flags.tokenizer ?? publicEncoding(flags.model);
  if (!ENCODINGS.includes(name)) return flags;
  return { ...flags, tokenizer: await loadEncoding(name) };
}

function publicEncoding(model) {
  try {
    return model && encodingForModel(model);
  } catch {
    return undefined; // then tokens are estimated, with the factor of the model's family
  }
}

/** Puts the transcript into the session, with its tools, which cost tokens in every call. */
export function push(session, transcript) {
  const { format, body, items } = transcript;
  const tools = body?.tools ?? body?.toolConfig?.tools;
  if (Array.isArray(tools)) session.setTools(format, tools);
  session.pushFrom(format, body ? plainBody(transcript) : items);
}

/** The body with its header and list under the keys of its format's own API, whatever keys the file used. */
export function plainBody({ format, body, items }) {
  if (format === "openai-responses")
    return body.instructions ? { instructions: body.instructions, input: items } : items;
  if (format === "anthropic" || format === "bedrock-converse") return body.system ? { system: body.system, messages: items } : items;
  if (format === "gemini") return body.systemInstruction ? { systemInstruction: body.systemInstruction, contents: items } : items;
  const header = body.system ?? body.instructions;
  return typeof header === "string" && header ? [{ role: "system", content: header }, ...items] : items;
}

/** Options to count as for this model, without its limits. */
const countedFor = (model) => ({ model, models: { [model]: { max_input_tokens: Number.MAX_SAFE_INTEGER } } });

/** Counts the transcript as it is, without trimming and without limits. Returns `{ session, report }`; the caller frees the session. */
export async function measure(transcript, flags = {}) {
  const session = new Session({
    ...sessionOptions({ tokenizer: flags.tokenizer }),
    ...(flags.model && countedFor(flags.model)),
    toolOutputCache: { enabled: false },
    compaction: { enabled: false },
  });
  push(session, transcript);
  const { report } = await session.prepare();
  return { session, report };
}

/** The limits by the flags: `{ window, limit, threshold }`, all `null` if neither model nor window is given. */
export function limits(flags) {
  const session = new Session(sessionOptions(flags));
  try {
    return { window: session.window ?? null, limit: session.limit ?? null, threshold: session.threshold ?? null };
  } finally {
    session.free();
  }
}

// The keys of the list and the header in each format's body.
const BODIES = {
  "openai-responses": { list: "input", header: "instructions" },
  anthropic: { list: "messages", header: "system" },
  "bedrock-converse": { list: "messages", header: "system" },
  gemini: { list: "contents", header: "systemInstruction" },
};
const LISTS = new Set(["input", "messages", "contents", "items", "output"]);
const HEADERS = new Set(["instructions", "system", "systemInstruction"]);

/**
 * The view in a format, in the shape of the input: a list for a list, a body for a body.
 * `left_behind`: keys of the body that are left out because another format does not have them.
 */
export const output = (session, transcript, format) => shaped(session.view(format), transcript, format);

/** A result of the engine in a format, in the shape of the input. */
export function shaped(view, transcript, format) {
  const [list, header] = Array.isArray(view) ? [view, {}] : split(view);
  const { body } = transcript;
  if (!body && !Object.keys(header).length) return { value: list, list, left_behind: [] };
  const listKey = BODIES[format]?.list ?? "messages";
  if (!body || format !== transcript.format) {
    const left_behind = Object.keys(body ?? {}).filter((key) => !LISTS.has(key) && !HEADERS.has(key));
    return { value: { ...header, [listKey]: list }, list, left_behind };
  }
  // Keep the file's keys in their order, and replace its list by the view's.
  const kept = Object.entries(body).flatMap(([key, value]) => {
    if (key === transcript.key) return [[key === "output" ? listKey : key, list]];
    if (HEADERS.has(key)) return key === BODIES[format]?.header ? [[key, header[key] ?? value]] : [];
    return [[key, value]];
  });
  return { value: { ...Object.fromEntries(kept), ...header }, list, left_behind: [] };
}

function split({ input, messages, contents, ...header }) {
  const said = Object.fromEntries(Object.entries(header).filter(([, value]) => value !== undefined && value !== null));
  return [input ?? messages ?? contents, said];
}
