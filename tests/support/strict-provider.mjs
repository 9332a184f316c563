// A provider on 127.0.0.1 that refuses what the real ones refuse: a call without an output, an output without a call.

import { createServer } from "node:http";

const refusals = {
  "/v1/chat/completions": ({ messages }) => {
    let open = new Set();
    for (const message of messages) {
      if (message.role === "tool") {
        if (!open.delete(message.tool_call_id))
          return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
        continue;
      }
      if (open.size > 0) return chatUnanswered(open);
      open = new Set((message.tool_calls ?? []).map((c) => c.id));
    }
    return open.size > 0 ? chatUnanswered(open) : null;
  },
  "/v1/responses": ({ input }) => {
    const made = new Set();
    const answered = new Set(input.filter((i) => i.type === "function_call_output").map((i) => i.call_id));
    for (const item of input) {
      if (item.type === "function_call") {
        if (!answered.has(item.call_id)) return `No tool output found for function call ${item.call_id}.`;
        made.add(item.call_id);
      } else if (item.type === "function_call_output" && !made.has(item.call_id))
        return `No tool call found for function call output with call_id ${item.call_id}.`;
    }
    return null;
  },
  "/v1/messages": ({ messages }) => {
    for (const [at, message] of messages.entries()) {
      if (!["user", "assistant"].includes(message.role)) return `messages.${at}.role: unknown role ${message.role}`;
      const blocks = (m) => (Array.isArray(m?.content) ? m.content : []);
      const used = blocks(message).filter((b) => b.type === "tool_use").map((b) => b.id);
      const next = blocks(messages[at + 1]).filter((b) => b.type === "tool_result").map((b) => b.tool_use_id);
      const missing = used.filter((id) => !next.includes(id));
      if (missing.length > 0)
        return (
          `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. ` +
          "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
        );
    }
    return null;
  },
};

const chatUnanswered = (open) =>
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
  `The following tool_call_ids did not have response messages: ${[...open].join(", ")}`;

/** Starts one; `post(path, body)` returns the summary's text, or throws with the provider's own words. */
export async function strictProvider(answer) {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const refusal = refusals[request.url](JSON.parse(text));
    response.writeHead(refusal ? 400 : 200, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify(refusal ? { error: { type: "invalid_request_error", message: refusal } } : { text: answer }));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    async post(path, body) {
      const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`, { method: "POST", body: JSON.stringify(body) });
      const said = await response.json();
      if (!response.ok) throw Object.assign(new Error(said.error.message), { status: response.status });
      return said.text;
    },
    close: () => new Promise((closed) => server.close(closed)),
  };
}
