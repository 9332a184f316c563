// A provider on 127.0.0.1: accepts requests as the real one does, refuses what it would refuse, and follows a script.

import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { createServer as createSocketServer } from "node:net";
import { check, countTokens } from "contextfold";
import { eventsOf as converseEventsOf, frame } from "./event-stream.mjs";
import { eventsOf } from "./sse.mjs";
import { ANSWER, CALLS } from "./work.mjs";

const PATHS = { "/v1/responses": "openai-responses", "/v1/chat/completions": "openai-chat", "/v1/messages": "anthropic" };

/** Bedrock has its model and its operation in the path. */
const CONVERSE = /^\/model\/([^/]+)\/(converse|converse-stream)$/;

const text = (answer) => ({ type: "output_text", text: answer, annotations: [] });
const ANSWERS = {
  "openai-responses": (n, usage, said) => ({
    id: `resp_${n}`, object: "response", created_at: 0, status: "completed", model: "m", error: null, incomplete_details: null, instructions: null,
    output: said !== undefined
      ? [{ id: `msg_${n}`, type: "message", role: "assistant", status: "completed", content: [text(said)] }]
      : [{ id: `rs_${n}`, type: "reasoning", summary: [], encrypted_content: `gA${n}` }, { id: `fc_${n}`, type: "function_call", call_id: `call_${n}`, name: "build", arguments: JSON.stringify({ n }), status: "completed" }],
    usage: { input_tokens: usage, output_tokens: 20, total_tokens: usage + 20, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  }),
  "openai-chat": (n, usage, said) => ({
    id: `c${n}`, object: "chat.completion", created: 0, model: "m", usage: { prompt_tokens: usage, completion_tokens: 20, total_tokens: usage + 20 },
    choices: [{
      index: 0, logprobs: null, finish_reason: said !== undefined ? "stop" : "tool_calls",
      message: said !== undefined
        ? { role: "assistant", content: said, refusal: null }
        : { role: "assistant", content: null, refusal: null, tool_calls: [{ id: `call_${n}`, type: "function", function: { name: "build", arguments: JSON.stringify({ n }) } }] },
    }],
  }),
  anthropic: (n, usage, said, tool) => ({
    id: `msg_${n}`, type: "message", role: "assistant", model: "m", stop_sequence: null, stop_reason: said !== undefined ? "end_turn" : "tool_use",
    content: [said !== undefined ? { type: "text", text: said } : { type: "tool_use", id: `call_${n}`, ...tool(n) }],
    usage: { input_tokens: usage, output_tokens: 20 },
  }),
  gemini: (n, usage, said) => ({
    candidates: [{
      index: 0, finishReason: "STOP",
      content: { role: "model", parts: [said !== undefined ? { text: said } : { functionCall: { id: `call_${n}`, name: "build", args: { n } }, thoughtSignature: Buffer.from(`signature ${n}`).toString("base64") }] },
    }],
    usageMetadata: { promptTokenCount: usage, candidatesTokenCount: 15, thoughtsTokenCount: 5, totalTokenCount: usage + 20 }, modelVersion: "m", responseId: `r${n}`,
  }),
  "bedrock-converse": (n, usage, said) => ({
    output: { message: { role: "assistant", content: [said !== undefined ? { text: said } : { toolUse: { toolUseId: `call_${n}`, name: "build", input: { n } } }] } },
    stopReason: said !== undefined ? "end_turn" : "tool_use", metrics: { latencyMs: 1 },
    usage: { inputTokens: usage, outputTokens: 20, totalTokens: usage + 20, cacheReadInputTokens: 0, cacheWriteInputTokens: 0 },
  }),
};
const GENERATES = /:(generateContent|streamGenerateContent)$/;

/**
 * Starts it. `window`: the tokens above which it refuses; `inStream`: it refuses within a stream that starts well, as the Responses API
 * may; `calls`: after how many tool calls it answers; `summary`: its answer to a summary request, a text or a function that may throw;
 * `isSummary`: which bodies are summary requests; `perToken`: how many tokens it counts for one of ours; `breakAt`: which answer's stream
 * breaks off; `tool`: the tool of call `n` and its input (Anthropic). `bodies`: accepted requests except summary requests, which are in
 * `asked`; `summaries`: how many of those there were; `refused`: how many requests were too long; `heads`: the headers of all requests.
 */
export async function provider({ window = Infinity, inStream = false, calls = CALLS, summary, isSummary = (body) => JSON.stringify(body).includes("<summary>"), perToken = 1, breakAt, tool = (n) => ({ name: "build", input: { n } }) } = {}) {
  const state = { bodies: [], asked: [], summaries: 0, refused: 0, heads: [] };
  const server = anyHttp(async (request, response) => {
    state.heads.push(request.headers);
    request.setEncoding("utf8");
    let body = "";
    for await (const chunk of request) body += chunk;
    const { pathname, searchParams } = new URL(request.url, "http://host");
    const [, modelId, operation] = CONVERSE.exec(pathname) ?? [];
    const format = operation ? "bedrock-converse" : GENERATES.test(pathname) ? "gemini" : PATHS[pathname];
    let answered;
    try {
      // Gemini and Bedrock have the model, and whether an answer is to be streamed, in the path.
      const [, model, stream] = /\/([^/:]+):(stream)?generateContent$/i.exec(pathname) ?? [];
      answered = answer(format, { ...(modelId && { modelId: decodeURIComponent(modelId) }), ...(model && { model, stream: stream !== undefined }), ...JSON.parse(body) });
    } catch (error) {
      answered = { status: 500, json: { error: { message: String(error) } } };
    }
    const { status, json } = answered;
    if (operation) {
      const head = { ...(request.httpVersionMajor < 2 && { connection: "close" }), ...(status !== 200 && { "x-amzn-errortype": "ValidationException" }) };
      if (status !== 200 || operation === "converse") return response.writeHead(status, { "content-type": "application/json", ...head }).end(JSON.stringify(status === 200 ? json : { message: json.error.message }));
      response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream", ...head });
      for (const [type, event] of converseEventsOf(json)) response.write(frame(type, event));
      return response.end();
    }
    const asked = { stream: searchParams.get("alt") === "sse", ...JSON.parse(body) };
    if (status !== 200 || !asked.stream) return response.writeHead(status, { "content-type": "application/json", connection: "close" }).end(JSON.stringify(json));
    response.writeHead(200, { "content-type": "text/event-stream", connection: "close" });
    const events = eventsOf(format, json, asked);
    if (state.bodies.length - 1 !== breakAt) return response.end(events.join(""));
    breakAt = undefined;
    response.write(events.slice(0, events.length >> 1).join(""));
    setTimeout(() => response.destroy(), 20);
  });
  function answer(format, body) {
    if (typeof body.input === "string") body = { ...body, input: [{ role: "user", content: body.input }] };
    // A request that continues a conversation held by the service contains only its end.
    const [broken] = body.thread?.type === "continue" ? [] : check(format, body).filter(({ severity }) => severity === "error");
    if (broken) return refusal(`${broken.rule} at ${broken.index}: ${broken.message}`);
    const tokens = countTokens(body);
    if (tokens > window) {
      state.refused++;
      const error = { code: "context_length_exceeded", message: `Your input exceeds the context window of this model: ${tokens} tokens > ${window} maximum` };
      if (inStream) return { status: 200, json: { ...ANSWERS[format](0, 0, ""), status: "failed", error, output: [], usage: null } };
      if (format === "gemini") return { status: 400, json: { error: { code: 400, message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`, status: "INVALID_ARGUMENT" } } };
      return refusal(`prompt is too long: ${tokens} tokens > ${window} maximum`);
    }
    if (summary !== undefined && isSummary(body)) {
      state.summaries++;
      state.asked.push(body);
      return { status: 200, json: ANSWERS[format](0, tokens * perToken, typeof summary === "function" ? summary(state.summaries) : summary) };
    }
    state.bodies.push(body);
    const n = state.bodies.length - 1;
    return { status: 200, json: ANSWERS[format](n, Math.round(tokens * perToken), n >= calls ? ANSWER : undefined, tool) };
  }
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return Object.assign(state, {
    url: `http://127.0.0.1:${server.address().port}`,
    unref: () => server.unref(),
    close: () => new Promise((done) => (server.close(done), server.closeAllConnections())),
  });
}

/** A server for HTTP/1.1 and for HTTP/2 without TLS, which AWS's clients speak. */
function anyHttp(answer) {
  const [http, http2] = [createServer(answer), createHttp2Server(answer)];
  const sockets = new Set();
  const server = createSocketServer((socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)).on("error", () => {}));
    socket.once("data", (first) => {
      socket.pause();
      socket.unshift(first);
      (first.toString("latin1", 0, 3) === "PRI" ? http2 : http).emit("connection", socket);
      process.nextTick(() => socket.resume());
    });
  });
  return Object.assign(server, { closeAllConnections: () => sockets.forEach((socket) => socket.destroy()) });
}

const refusal = (message) => ({ status: 400, json: { type: "error", error: { type: "invalid_request_error", message, code: null, param: null } } });
