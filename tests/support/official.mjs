// A server on 127.0.0.1 that answers as the providers would: 400 with the rule that a history breaks, or 200.

import { createServer } from "node:http";
import { check } from "contextfold";

const FORMATS = {
  "/v1/responses": { format: "openai-responses", of: "responses", list: "input" },
  "/v1/chat/completions": { format: "openai-chat", of: "chat", list: "messages" },
  "/v1/messages": { format: "anthropic", of: "anthropic", list: "messages" },
};

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const ANSWERS = {
  "openai-responses": (text) => ({
    id: "resp_1", object: "response", created_at: 0, status: "completed", model: "m", error: null, incomplete_details: null, instructions: null,
    output: [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] }],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  }),
  "openai-chat": (text) => ({ id: "c", object: "chat.completion", created: 0, model: "m", usage: USAGE, choices: [{ index: 0, finish_reason: "stop", logprobs: null, message: { role: "assistant", content: text, refusal: null } }] }),
  anthropic: (text) => ({ id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn", stop_sequence: null, content: [{ type: "text", text }], usage: { input_tokens: 1, output_tokens: 1 } }),
};

/**
 * Starts it. `validate` (of the validator beside the recorded data, or null) is applied as well; `most`: the largest list in bytes
 * that is not too long, at four bytes per token.
 */
export async function officialServer({ validate = null, most = Infinity } = {}) {
  const seen = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { format, of, list } = FORMATS[request.url];
    const body = JSON.parse(text);
    let refusal;
    try {
      refusal = refusalOf(body, format, of, list);
    } catch (error) {
      refusal = `not even a list: ${error.message}`;
    }
    seen.push({ format, body, refusal });
    response.writeHead(refusal ? 400 : 200, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify(refusal ? { type: "error", error: { type: "invalid_request_error", message: refusal, code: null, param: null } } : ANSWERS[format]("ok")));
  });
  function refusalOf(body, format, of, list) {
    const items = body[list];
    const tokens = Math.ceil(JSON.stringify(items).length / 4);
    if (tokens > most) return `prompt is too long: ${tokens} tokens > ${most} maximum`;
    const ours = check(format, body).filter((v) => v.severity === "error");
    const theirs = validate ? validate(items, { format: of, store: body.store ?? true, beta: true }).filter((v) => v.severity === "error") : [];
    const [found] = [...ours, ...theirs];
    return found ? `${found.rule} at ${found.index}: ${found.message}` : null;
  }
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    seen,
    close: () => new Promise((done) => (server.close(done), server.closeAllConnections())),
  };
}
