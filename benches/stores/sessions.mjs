// Sessions of messages with 1 kB each, the same in every run.

import { Session } from "contextfold";
import { random } from "../tokens/generate.mjs";

const WORDS = "the user account invoice status was created updated pending shipped in warehouse region customer discount session token request response queue worker retry timeout connection database schema index".split(" ");
export const BYTES = 1_000;

const next = random(11);
let made = 0;

/** A new message with a content of 1,000 bytes. */
export function message() {
  let content = `${(made += 1)} `;
  while (content.length < BYTES) content += `${WORDS[Math.floor(next() * WORDS.length)]} `;
  return { role: made % 2 ? "user" : "assistant", content: content.slice(0, BYTES) };
}

/** A session with this many messages. */
export function sessionOf(messages) {
  const session = new Session();
  for (let left = messages; left > 0; left -= 1_000) session.push(Array.from({ length: Math.min(left, 1_000) }, message));
  return session;
}
