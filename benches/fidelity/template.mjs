// What the model reads: messages in its own chat template, as pieces. A piece is a text, or `{ mark }`, a special token.
// Call ids are left out: they are random, no policy can keep them, and guessing them shows no knowledge.

const call = ({ function: f }) => `<tool_call>{"name": ${JSON.stringify(f.name)}, "arguments": ${f.arguments || "{}"}}</tool_call>`;

/** What the assistant writes: its text, then its calls. */
export const said = (m) => [m.content, ...(m.tool_calls ?? []).map(call)].filter(Boolean).join("\n");

const spoken = (m) =>
  m.role === "tool" ? ["user", `<tool_response>\n${m.content}\n</tool_response>`] : m.role === "assistant" ? ["assistant", said(m)] : [m.role, m.content ?? ""];

/** Joins neighbours with the same role to one turn. */
function turns(messages) {
  const out = [];
  for (const [role, text] of messages.map(spoken)) if (out.at(-1)?.[0] === role) out.at(-1)[1] += `\n${text}`; else out.push([role, text]);
  return out;
}

export const templates = {
  smollm2: (messages) => [
    ...turns(messages).flatMap(([role, text]) => [{ mark: "<|im_start|>" }, `${role}\n${text}`, { mark: "<|im_end|>" }, "\n"]),
    { mark: "<|im_start|>" }, "assistant\n",
  ],
  gemma: (messages) => [
    { mark: "<bos>" },
    ...turns(messages.map((m) => (m.role === "system" ? { ...m, role: "user" } : m))).flatMap(([role, text]) => [
      { mark: "<start_of_turn>" }, `${role === "assistant" ? "model" : role}\n${text}`, { mark: "<end_of_turn>" }, "\n",
    ]),
    { mark: "<start_of_turn>" }, "model\n",
  ],
};
