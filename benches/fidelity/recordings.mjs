// The recorded sessions: { name, group, messages }. They are not in the repository: `CONTEXTFOLD_DATA` says where they are.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { plain } from "./plain.mjs";

const data = process.env.CONTEXTFOLD_DATA ?? fileURLToPath(new URL("../../../shared/data", import.meta.url));
const DIALOGUES = /tau-bench|LLaMA-Factory/;
const FORMATS = { chat: "openai-chat", anthropic: "anthropic", responses: "openai-responses" };

/** All recordings. `convert` is the package's, which reads each format. */
export function recordings(convert) {
  if (!existsSync(data)) throw new Error(`no recorded sessions at ${data}: set CONTEXTFOLD_DATA`);
  const out = [];
  const take = (name, format, items) => {
    const messages = read(convert, FORMATS[format], items);
    if (messages?.some((m) => m.role === "assistant")) out.push({ name, group: DIALOGUES.test(name) ? "dialogues" : "coding", messages });
  };
  for (const folder of ["dialogs", "long-sessions"])
    for (const source of readdirSync(join(data, folder)).sort())
      for (const file of readdirSync(join(data, folder, source)).sort()) {
        // The `-clean` copies are the same sessions, and a file made by a compaction is not a session.
        if (/-clean\.|\.compaction\./.test(file)) continue;
        take(`${source}/${file}`, file.split(".").at(-2), JSON.parse(readFileSync(join(data, folder, source, file), "utf8")));
      }
  for (const file of readdirSync(join(data, "recorded-requests")).sort()) {
    if (file.startsWith("rejected")) continue;
    for (const line of readFileSync(join(data, "recorded-requests", file), "utf8").split("\n").filter(Boolean)) {
      const { id, format, items, answer } = JSON.parse(line);
      take(id, format, Array.isArray(answer) ? [...items, ...answer] : items);
    }
  }
  return out;
}

function read(convert, format, items) {
  try {
    return whole(convert(format, "messages", items).map(plain));
  } catch {
    return null; // a recording of a request that the provider refused, or of a rare shape: unusable
  }
}

/** Leaves out calls without an output and outputs without a call: some recordings are only parts. */
function whole(messages) {
  const answered = new Set(messages.filter((m) => m.role === "tool").map((m) => m.tool_call_id));
  const kept = messages.map((m) => {
    if (!m.tool_calls) return m;
    const tool_calls = m.tool_calls.filter((c) => answered.has(c.id));
    return tool_calls.length ? { ...m, tool_calls } : { role: m.role, content: m.content };
  });
  const called = new Set(kept.flatMap((m) => (m.tool_calls ?? []).map((c) => c.id)));
  return kept.filter((m) => (m.role === "tool" ? called.has(m.tool_call_id) : m.content || m.tool_calls));
}

/** The half that a recording belongs to. It depends on the name alone, so that it stays the same when recordings are added. */
export const half = (name) => (createHash("sha256").update(name).digest()[0] % 2 ? "reporting" : "tuning");
