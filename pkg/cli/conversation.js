// What a conversation is made of, from its messages: turns, steps, and what each tool was asked and said.

/** User messages, each with what follows it; what stands before the first is a turn, too, unless it is the header. */
export function countTurns(messages) {
  return messages.filter((message) => message.role === "user" && message.item_type !== "COMPACTION_SUMMARY").length;
}

/** Model answers: a run of assistant messages and the tool messages after it. */
export function countSteps(messages) {
  return messages.filter((message, index) => message.role === "assistant" && messages[index - 1]?.role !== "assistant")
    .length;
}

/** The longest turn's steps: what makes a single turn too large for a window. */
export function longestTurn(messages) {
  let longest = 0;
  let from = 0;
  const ends = (end) => (longest = Math.max(longest, countSteps(messages.slice(from, end))));
  for (const [index, message] of messages.entries()) {
    if (message.role !== "user") continue;
    ends(index);
    from = index;
  }
  ends(messages.length);
  return longest;
}

/** Every tool output, with the call that it answers: `{ id, call_id, tool, asked, bytes, lines, tokens }`, in order. */
export function toolOutputs(session) {
  const messages = session.messages;
  const tokens = new Map(session.items().map((item) => [item.id, item.tokens]));
  const calls = new Map();
  const out = [];
  for (const message of messages) {
    for (const call of message.tool_calls ?? []) calls.set(call.id, call);
    if (message.role !== "tool") continue;
    const call = calls.get(message.tool_call_id);
    const text = textOf(message.content);
    out.push({
      id: message.id,
      call_id: message.tool_call_id,
      tool: toolName(call),
      asked: call?.function?.arguments ?? call?.custom?.input ?? "",
      bytes: Buffer.byteLength(text),
      lines: text ? text.split("\n").length : 0,
      tokens: tokens.get(message.id) ?? 0,
    });
  }
  return out;
}

/** Tools by name, the one with the most output first: `{ name, calls, output_bytes, output_tokens }`. */
export function toolTable(messages, outputs) {
  const tools = new Map();
  const row = (name) => {
    if (!tools.has(name)) tools.set(name, { name, calls: 0, output_bytes: 0, output_tokens: 0 });
    return tools.get(name);
  };
  for (const message of messages) for (const call of message.tool_calls ?? []) row(toolName(call)).calls += 1;
  for (const output of outputs) {
    const tool = row(output.tool);
    tool.output_bytes += output.bytes;
    tool.output_tokens += output.tokens;
  }
  return [...tools.values()].sort(
    (a, b) => b.output_bytes - a.output_bytes || b.calls - a.calls || (a.name < b.name ? -1 : 1),
  );
}

const toolName = (call) =>
  call?.function?.name ??
  call?.custom?.name ??
  (call?.type === "opaque" ? (call.raw?.name ?? call.raw?.type ?? "other") : "unknown");

function textOf(content) {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}
