// Summarises a whole list as one text, for hosts that replace messages by a summary themselves.

import { Session } from "contextfold";

/**
 * A summary of all messages, followed by messages that compaction leaves as they are, such as the user's request. `ofSession`: options
 * of the session that writes it.
 */
export async function wholeSummary(ofSession, format, list, { signal, instructions } = {}) {
  const { store, ...options } = ofSession;
  const session = new Session({ ...options, compaction: { ...options.compaction, retainLastTurns: 0, background: false } });
  try {
    session.pushFrom(format, list);
    await session.compact({ ...(signal && { signal }), ...(instructions && { instructions }) });
    return session.view("messages").map(wordsOf).join("\n\n");
  } finally {
    session.free();
  }
}

const SPEAKERS = { user: "User", assistant: "Assistant", tool: "Tool output" };

function wordsOf({ role, content, item_type: type }) {
  const text = typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");
  return type === "COMPACTION_SUMMARY" ? text : `[${SPEAKERS[role] ?? role}]: ${text}`;
}
