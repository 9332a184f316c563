// Shared by the session tests.

import { ContextError } from "contextfold";

export const FORMATS = ["messages", "openai-responses", "openai-chat", "anthropic", "ai-sdk", "gemini", "bedrock-converse"];

/** The entries of a view, and a user's entry, in a format. */
export const listOf = (view) => (Array.isArray(view) ? view : (view.input ?? view.messages ?? view.contents));

/** A predicate for `assert.throws` and `assert.rejects`: a ContextError with this code whose message matches. */
export const failsWith = (code, words = /./) => (error) => {
  if (!ContextError.isInstance(error)) return false;
  if (error.code !== code) throw new Error(`expected ${code}, got ${error.code}: ${error.message}`, { cause: error });
  if (!words.test(error.message)) throw new Error(`expected ${words} in: ${error.message}`, { cause: error });
  return true;
};

/** Filler of `count` distinct words, ten a line. */
export const words = (count, seed = 0) => Array.from({ length: count }, (_, i) => `word${seed}x${i}${i % 10 === 9 ? "\n" : " "}`).join("");

/** An entry with a text, in a given format: Gemini's has parts, Bedrock's a list of blocks. */
export function saidIn(format, entry) {
  if (typeof entry.content !== "string") return entry;
  if (format === "bedrock-converse") return { ...entry, content: [{ text: entry.content }] };
  if (format === "gemini") return { role: entry.role === "assistant" ? "model" : "user", parts: [{ text: entry.content }] };
  return entry;
}

export const user = (content, more) => ({ role: "user", content, ...more });
export const assistant = (content, more) => ({ role: "assistant", content, ...more });
export const call = (id, name = "read", args = '{"path":"src/lib.rs"}') => ({ id, type: "function", function: { name, arguments: args } });
export const calls = (...ids) => ({ role: "assistant", content: null, tool_calls: ids.map((id) => call(id)) });
export const output = (id, content = "ok", more) => ({ role: "tool", tool_call_id: id, content, ...more });

/** `turns` turns: a question, a step with one call and its output, an answer. */
export function conversation(turns = 4, size = 120, prefix = "call") {
  return Array.from({ length: turns }, (_, n) => [
    user(`question ${n}: ${words(size, n)}`),
    calls(`${prefix}_${n}`),
    output(`${prefix}_${n}`, `output ${n}: ${words(size, n)}`),
    assistant(`answer ${n}: ${words(size, n)}`),
  ]).flat();
}

/** Everything a caller can see of a session, as plain data. */
export function stateOf(session) {
  return structuredClone({
    items: session.items(),
    views: FORMATS.map((format) => session.view(format)),
    messages: session.messages,
    tokens: session.tokens,
    folds: session.folds(),
    refs: session.toolOutputs.refs(),
    due: session.shouldCompact(),
  });
}

/** A promise with its resolve and reject functions. */
export function deferred() {
  const out = {};
  out.promise = new Promise((resolve, reject) => Object.assign(out, { resolve, reject }));
  return out;
}

/** Lets everything that is ready to run, run. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));
