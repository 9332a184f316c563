// The sessions of a fleet and their messages: each message names the process that pushed it and contains its own checksum.

import { createHash } from "node:crypto";

/** The percentage of sessions shared by all processes; each of the others belongs to one slot of the fleet. */
const SHARED = 5;

export const OPTIONS = { contextWindow: 16_000, reservedOutputTokens: 2_000 };
const FORMATS = ["messages", "openai-chat", "openai-responses", "anthropic"];

/** The keys that a slot of the fleet writes to: its own and the shared ones. */
export function keysOf({ sessions, processes }, slot) {
  const count = Math.max(1, Math.round((sessions * SHARED) / 100));
  const shared = Array.from({ length: count }, (_, i) => `fleet/shared-${i}`);
  const own = Array.from({ length: sessions - count }, (_, i) => i).filter((i) => slot === undefined || i % processes === slot);
  return { shared, own: own.map((i) => `fleet/own-${i}`) };
}

const sumOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** A process's message number `n`: 200 to 2,000 bytes. */
export function message(process, n, next) {
  const text = `${process} ${n} ${"word ".repeat(30 + next() * 370)}`;
  return { role: n % 2 ? "user" : "assistant", content: `${text}| ${sumOf(text)}` };
}

/** Its author: `{ process, n }`; `null` if the message was altered. */
export function readMessage({ content }) {
  const [, text, sum] = /^(.*)\| ([0-9a-f]{16})$/s.exec(content) ?? [];
  if (sum === undefined || sumOf(text) !== sum) return null;
  const [process, n] = text.split(" ");
  return { process, n: Number(n) };
}

/** Everything a process can see of a session: its bytes, and its view in several formats. */
export function digestOf(session) {
  const views = FORMATS.map((format) => JSON.stringify(session.view(format)));
  return { bytes: sumOf(session.snapshot()), views: sumOf(JSON.stringify([views, session.messages, session.folds()])) };
}
