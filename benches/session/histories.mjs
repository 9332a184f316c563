// The same histories in the shapes of each library. Seeded, so that a run can be repeated.

import { random } from "../tokens/generate.mjs";

const WORDS =
  "the user account invoice status was created updated pending shipped in warehouse region customer discount session token request response queue worker retry timeout connection database schema index cluster shard replica backup release branch commit merge review fn let match self error value item list read write parse count view fold step call open close next".split(" ");

/** The model's answer to every summary request. */
export const SUMMARY = "The user asked for many things; all of them were done. Nothing is open. ".repeat(8);

/** A text of about `length` characters. */
function text(next, length) {
  let out = "";
  while (out.length < length) {
    out += `${WORDS[Math.floor(next() * WORDS.length)]}`;
    out += next() < 0.04 ? ` src/part_${Math.floor(next() * 400)}.rs` : next() < 0.1 ? `.\n` : " ";
  }
  return out.slice(0, length);
}

/** An agent's history: a request, a call with some words, its output, an answer; 0.84 kB per message on average. */
export function agent(messages, seed = 1) {
  const next = random(seed);
  const out = [];
  for (let n = 0; out.length < messages; n++) {
    const id = `call_${seed}_${n}`;
    out.push(
      { role: "user", content: text(next, 500) },
      { role: "assistant", content: text(next, 200), tool_calls: [{ id, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path: `src/part_${n}.rs` }) } }] },
      { role: "tool", tool_call_id: id, content: text(next, 1800) },
      { role: "assistant", content: text(next, 760) },
    );
  }
  return out.slice(0, messages - (messages % 4));
}

/** A dialogue: requests and answers of 0.8 kB each. */
export function dialogue(messages, seed = 2) {
  const next = random(seed);
  return Array.from({ length: messages }, (_, n) => ({ role: n % 2 ? "assistant" : "user", content: text(next, 800) }));
}

/** As items of the Responses API. */
export const asItems = (list) => list.flatMap((m) => {
  if (m.role === "tool") return [{ type: "function_call_output", call_id: m.tool_call_id, output: m.content }];
  const said = { type: "message", role: m.role, content: [{ type: m.role === "user" ? "input_text" : "output_text", text: m.content }] };
  const calls = m.tool_calls ?? [];
  return [said, ...calls.map((c) => ({ type: "function_call", call_id: c.id, ...c.function }))];
});

/** As the AI SDK's model messages. */
export const asModelMessages = (list) => list.map((m) => {
  if (m.role === "tool") return { role: "tool", content: [{ type: "tool-result", toolCallId: m.tool_call_id, toolName: "read_file", output: { type: "text", value: m.content } }] };
  if (!m.tool_calls) return { role: m.role, content: [{ type: "text", text: m.content }] };
  const calls = m.tool_calls.map((c) => ({ type: "tool-call", toolCallId: c.id, toolName: c.function.name, input: JSON.parse(c.function.arguments) }));
  return { role: m.role, content: [{ type: "text", text: m.content }, ...calls] };
});

/** As the prompt that the AI SDK passes to a provider, which mastra's processors take. */
export const asPrompt = (list) => asModelMessages(list).map((m) => (m.role === "system" ? { role: "system", content: m.content[0].text } : m));

/** As LangChain's messages; `classes`: `@langchain/core/messages`. */
export const asLangChain = (list, { HumanMessage, AIMessage, ToolMessage }) => list.map((m, n) => {
  const id = `lc_${n}_${m.content.length}`;
  if (m.role === "tool") return new ToolMessage({ id, content: m.content, tool_call_id: m.tool_call_id, name: "read_file" });
  if (m.role === "user") return new HumanMessage({ id, content: m.content });
  return new AIMessage({ id, content: m.content, tool_calls: (m.tool_calls ?? []).map((c) => ({ id: c.id, name: c.function.name, args: JSON.parse(c.function.arguments) })) });
});

/** As the messages of pi's agent. */
export const asPi = (list) => list.map((m) => {
  const content = [{ type: "text", text: m.content }];
  if (m.role === "tool") return { role: "toolResult", toolCallId: m.tool_call_id, toolName: "read_file", content, isError: false };
  if (m.role === "user") return { role: "user", content };
  return { role: "assistant", content: [...content, ...(m.tool_calls ?? []).map((c) => ({ type: "toolCall", id: c.id, name: c.function.name, arguments: JSON.parse(c.function.arguments) }))] };
});

/** As the entries of pi's session files, which its cut takes. */
export const asPiEntries = (list) => asPi(list).map((message, n) => ({ type: "message", id: `${n}`, message }));

/** As cline's messages, which are Anthropic's. */
export const asCline = (list) => list.map((m) => {
  if (m.role === "tool") return { role: "user", content: [{ type: "tool_result", tool_use_id: m.tool_call_id, content: m.content }] };
  const calls = (m.tool_calls ?? []).map((c) => ({ type: "tool_use", id: c.id, name: c.function.name, input: JSON.parse(c.function.arguments) }));
  return { role: m.role, content: [...(m.content ? [{ type: "text", text: m.content }] : []), ...calls] };
});

/** And back. */
export const fromCline = (messages) => messages.flatMap(({ role, content }) => {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const of = (type) => blocks.filter((b) => b.type === type);
  const text = (blocks) => blocks.map((b) => b.text).join("\n");
  const outputs = of("tool_result").map((b) => ({ role: "tool", tool_call_id: b.tool_use_id, content: typeof b.content === "string" ? b.content : text(b.content) }));
  const tool_calls = of("tool_use").map((b) => ({ id: b.id, type: "function", function: { name: b.name, arguments: JSON.stringify(b.input) } }));
  const said = { role, content: text(of("text")), ...(tool_calls.length ? { tool_calls } : {}) };
  return [...outputs, ...(said.content || tool_calls.length ? [said] : [])];
});

/** As the events of Google's ADK. */
export const asEvents = (list) => list.map((m, n) => {
  const base = { id: `e${n}`, invocationId: `i${n >> 2}`, timestamp: n, actions: { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} } };
  if (m.role === "tool") return { ...base, author: "agent", content: { role: "user", parts: [{ functionResponse: { id: m.tool_call_id, name: "read_file", response: { output: m.content } } }] } };
  if (m.role === "user") return { ...base, author: "user", content: { role: "user", parts: [{ text: m.content }] } };
  return { ...base, author: "agent", content: { role: "model", parts: [{ text: m.content }, ...(m.tool_calls ?? []).map((c) => ({ functionCall: { id: c.id, name: c.function.name, args: JSON.parse(c.function.arguments) } }))] } };
});
