// A provider on 127.0.0.1 that calls the tools of a list one after the other, and then says "done".

import { createServer } from "node:http";

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const ANSWERS = {
  "/v1/responses": (call, n) => ({
    id: `r${n}`, object: "response", created_at: 0, status: "completed", model: "m", error: null, incomplete_details: null, instructions: null,
    output: call
      ? [{ id: `fc_${n}`, type: "function_call", call_id: `c${n}`, name: call[0], arguments: JSON.stringify(call[1]), status: "completed" }]
      : [{ id: "m", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done", annotations: [] }] }],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  }),
  "/v1/chat/completions": (call, n) => ({
    id: "c", object: "chat.completion", created: 0, model: "m", usage: USAGE,
    choices: [{
      index: 0, logprobs: null, finish_reason: call ? "tool_calls" : "stop",
      message: { role: "assistant", refusal: null, content: call ? null : "done", ...(call && { tool_calls: [{ id: `c${n}`, type: "function", function: { name: call[0], arguments: JSON.stringify(call[1]) } }] }) },
    }],
  }),
  "/v1/messages": (call, n) => ({
    id: "m", type: "message", role: "assistant", model: "m", stop_sequence: null, stop_reason: call ? "tool_use" : "end_turn", usage: { input_tokens: 1, output_tokens: 1 },
    content: [call ? { type: "tool_use", id: `c${n}`, name: call[0], input: call[1] } : { type: "text", text: "done" }],
  }),
};

export async function scriptServer(t, calls) {
  let n = 0;
  const bodies = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    bodies.push(JSON.parse(text));
    const answer = ANSWERS[new URL(request.url, "http://host").pathname];
    response.writeHead(200, { "content-type": "application/json", connection: "close" }).end(JSON.stringify(answer(calls[n], n++)));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => new Promise((done) => (server.close(done), server.closeAllConnections())));
  return { url: `http://127.0.0.1:${server.address().port}`, bodies, again: () => (n = 0) };
}
