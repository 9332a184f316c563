// The messages of this bench: the shape of Chat Completions with text alone. `{ role, content, tool_calls?, tool_call_id? }`; arguments
// are JSON text. Reasoning is left out, because later calls do not see it; parts that are not text become a word in brackets.

const part = (p) => (p.type === "text" ? p.text : p.type === "refusal" ? p.refusal : p.type === "reasoning" ? "" : `[${p.type}]`);

export const textOf = (content) =>
  typeof content === "string" ? content : Array.isArray(content) ? content.map(part).filter(Boolean).join("\n") : "";

const call = (c) => ({ id: c.id, type: "function", function: c.function ?? { name: c.custom?.name ?? "call", arguments: JSON.stringify({ input: c.custom?.input ?? c.raw ?? "" }) } });

/** A message in the package's own format, without what the model is not shown here. */
export function plain(m) {
  const content = textOf(m.content);
  if (m.role === "tool") return { role: "tool", tool_call_id: m.tool_call_id, content };
  if (m.role === "assistant" && m.tool_calls?.length) return { role: "assistant", content, tool_calls: m.tool_calls.map(call) };
  return { role: m.role === "developer" ? "system" : m.role, content };
}
