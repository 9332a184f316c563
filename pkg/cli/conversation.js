// Statistics of a conversation: turns, steps, and each tool's calls and outputs.

/** The number of turns: each user message begins one. Summaries do not count. */
export function countTurns(messages) {
  return messages.filter((message) => message.role === "user" && message.item_type !== "COMPACTION_SUMMARY").length;
}

/** The number of steps: each is a run of assistant messages, with the tool messages after it. */
export function countSteps(messages) {
  return messages.filter((message, index) => message.role === "assistant" && messages[index - 1]?.role !== "assistant")
    .length;
}

/** The number of steps of the longest turn, because a single turn may be too large for a window. */
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

/** All tool outputs in order, each with its call: `{ id, call_id, tool, asked, bytes, lines, tokens }`. */
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

/** All tools, those with the most output first: `{ name, calls, output_bytes, output_tokens }`. */
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
