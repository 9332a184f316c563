// The messages of this bench: Chat Completions' shape with text alone. `{ role, content, tool_calls?, tool_call_id? }`; arguments are
// JSON as text. Reasoning is not shown to a later call, so it is left out; what is no text stands as a word in brackets.

const part = (p) => (p.type === "text" ? p.text : p.type === "refusal" ? p.refusal : p.type === "reasoning" ? "" : `[${p.type}]`);

export const textOf = (content) =>
  typeof content === "string" ? content : Array.isArray(content) ? content.map(part).filter(Boolean).join("\n") : "";

const call = (c) => ({ id: c.id, type: "function", function: c.function ?? { name: c.custom?.name ?? "call", arguments: JSON.stringify({ input: c.custom?.input ?? c.raw ?? "" }) } });

/** A message in the package's own format, without all that is not shown to the model here. */
export function plain(m) {
  const content = textOf(m.content);
  if (m.role === "tool") return { role: "tool", tool_call_id: m.tool_call_id, content };
  if (m.role === "assistant" && m.tool_calls?.length) return { role: "assistant", content, tool_calls: m.tool_calls.map(call) };
  return { role: m.role === "developer" ? "system" : m.role, content };
}
