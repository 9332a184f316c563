// Made-up session files of agents.

/** A made-up Claude Code session file. */
export function claudeSession() {
  const line = (uuid, parentUuid, type, message) => ({ parentUuid, isSidechain: false, sessionId: "s", type, message, uuid });
  return [line("1", null, "user", { role: "user", content: "Hello" }), line("2", "1", "assistant", { id: "m", role: "assistant", content: [{ type: "text", text: "Hi." }] })].map((value) => JSON.stringify(value)).join("\n");
}

/** The same with sub-agents: two that were called by name, and one that was not. */
export function claudeWithHelpers() {
  const lines = [];
  let last = null;
  const say = (type, message, more = {}) => {
    const uuid = `u${lines.length}`;
    lines.push(JSON.stringify({ parentUuid: last, isSidechain: false, sessionId: "s", type, message, uuid, ...more }));
    last = uuid;
  };
  const helper = (prompt, more) => {
    const main = last;
    last = null;
    say("user", { role: "user", content: prompt }, { isSidechain: true, ...more });
    say("assistant", { id: `m${lines.length}`, role: "assistant", content: [{ type: "text", text: "It is fine." }] }, { isSidechain: true, ...more });
    last = main;
  };
  say("user", { role: "user", content: "Look through the parser." });
  for (const [name, prompt] of [["Explore", "Read src/parser.rs"], ["Reviewer", "Review src/parser.rs"]]) {
    say("assistant", { id: `m${lines.length}`, role: "assistant", content: [{ type: "tool_use", id: `toolu_${name}`, name: "Task", input: { subagent_type: name, description: "the parser", prompt } }] });
    helper(prompt, { agentId: name });
    say("user", { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${name}`, content: "It is fine." }] });
  }
  helper("Who are you?", {});
  say("assistant", { id: "end", role: "assistant", content: [{ type: "text", text: "All is fine." }] });
  return lines.join("\n");
}

/** A made-up Codex rollout. */
export function codexRollout() {
  const line = (type, payload) => JSON.stringify({ timestamp: "2026-01-01T00:00:00Z", type, payload });
  return [line("session_meta", { id: "s", instructions: "Be brief." }), line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] })].join("\n");
}
