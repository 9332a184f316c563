// The sessions of a fleet and what is said in them: each message names the process that pushed it and carries a checksum of itself.

import { createHash } from "node:crypto";

/** Of all sessions, so many in a hundred are shared by all processes; the others belong to one place in the fleet each. */
const SHARED = 5;

export const OPTIONS = { contextWindow: 16_000, reservedOutputTokens: 2_000 };
const FORMATS = ["messages", "openai-chat", "openai-responses", "anthropic"];

/** The keys that a place in the fleet writes to: its own and those of all. */
export function keysOf({ sessions, processes }, slot) {
  const count = Math.max(1, Math.round((sessions * SHARED) / 100));
  const shared = Array.from({ length: count }, (_, i) => `fleet/shared-${i}`);
  const own = Array.from({ length: sessions - count }, (_, i) => i).filter((i) => slot === undefined || i % processes === slot);
  return { shared, own: own.map((i) => `fleet/own-${i}`) };
}

const sumOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** What a process says as its `n`th: 200 to 2,000 bytes. */
export function message(process, n, next) {
  const text = `${process} ${n} ${"word ".repeat(30 + next() * 370)}`;
  return { role: n % 2 ? "user" : "assistant", content: `${text}| ${sumOf(text)}` };
}

/** Who said it: `{ process, n }`; `null` where it is not what was said. */
export function readMessage({ content }) {
  const [, text, sum] = /^(.*)\| ([0-9a-f]{16})$/s.exec(content) ?? [];
  if (sum === undefined || sumOf(text) !== sum) return null;
  const [process, n] = text.split(" ");
  return { process, n: Number(n) };
}

/** All that a process can see of a session: its bytes, and how it looks in several formats. */
export function digestOf(session) {
  const views = FORMATS.map((format) => JSON.stringify(session.view(format)));
  return { bytes: sumOf(session.snapshot()), views: sumOf(JSON.stringify([views, session.messages, session.folds()])) };
}
