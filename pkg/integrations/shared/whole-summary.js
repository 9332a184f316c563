// One text that stands for all of a list, for hosts that keep a summary in place of messages themselves.

import { Session } from "contextfold";

/** The summary of all messages, and behind it what it leaves as it is, such as the user's request. `ofSession`: the options of the session that writes it. */
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
