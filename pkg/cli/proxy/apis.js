// The supported APIs: the paths of their requests, how to report an error, and how to request a summary.

/** An answer in the shape that a session's `summarize` returns. */
const summary = (text, usage, finish_reason) => ({ text, ...(usage && { usage }), ...(finish_reason && { finish_reason }) });

const openaiError = (message, { code }) => ({ error: { message, type: "contextfold_proxy", param: null, code } });
const textsOf = (parts, type) => (parts ?? []).filter((part) => part?.type === type).map(({ text }) => text).join("");

/** Google's names of the statuses of the proxy's own errors. */
const STATUSES = { 403: "PERMISSION_DENIED", 413: "INVALID_ARGUMENT", 502: "UNAVAILABLE" };

export const APIS = [
  {
    name: "responses",
    end: "/responses",
    format: "openai-responses",
    reserved: (body) => body.max_output_tokens,
    error: openaiError,
    // So that requests for summaries do not appear among the user's stored responses.
    asks: (request) => ({ store: false, ...request.as("openai-responses") }),
    answered: ({ output, usage, incomplete_details }) =>
      summary((output ?? []).map(({ type, content }) => (type === "message" ? textsOf(content, "output_text") : "")).join(""), usage, incomplete_details?.reason),
  },
  {
    name: "chat",
    end: "/chat/completions",
    format: "openai-chat",
    reserved: (body) => body.max_completion_tokens ?? body.max_tokens,
    error: openaiError,
    asks(request, body) {
      const { max_completion_tokens: most, ...asked } = request.as("openai-chat");
      if (most === undefined) return asked;
      return { ...asked, [body.max_tokens === undefined ? "max_completion_tokens" : "max_tokens"]: most }; // the client's name for it, because many hosts only support the older one
    },
    answered: ({ choices, usage }) => summary(choices?.[0]?.message?.content ?? "", usage, choices?.[0]?.finish_reason),
  },
  {
    name: "anthropic",
    end: "/v1/messages",
    format: "anthropic",
    reserved: (body) => body.max_tokens,
    error: (message, { type }) => ({ type: "error", error: { type, message } }),
    asks: (request) => ({ max_tokens: 8192, ...request.as("anthropic") }),
    answered: ({ content, usage, stop_reason }) => summary(textsOf(content, "text"), usage, stop_reason),
  },
  {
    name: "gemini",
    end: /:(stream)?generateContent$/i,
    format: "gemini",
    /** The path contains the model. */
    model: (path) => /\/([^/:]+):\w+$/.exec(path)?.[1],
    reserved: (body) => (body.generationConfig ?? body.generation_config)?.maxOutputTokens,
    error: (message, { status }) => ({ error: { code: status, message, status: STATUSES[status] ?? "INTERNAL" } }),
    asks(request) {
      const { contents, config: { maxOutputTokens, temperature, ...config } = {} } = request.as("gemini");
      return { contents, ...config, generationConfig: { maxOutputTokens, temperature } };
    },
    /** The path for a summary, which is not streamed even if the client's request is. */
    path: (path) => path.replace(/:streamGenerateContent/, ":generateContent").replace(/([?&])alt=sse&?/, "$1").replace(/[?&]$/, ""),
    answered: ({ candidates, usageMetadata }) => summary((candidates?.[0]?.content?.parts ?? []).map(({ text, thought }) => (thought ? "" : (text ?? ""))).join(""), usageMetadata, candidates?.[0]?.finishReason),
  },
];

const [, CHAT, ANTHROPIC] = APIS;

const goesTo = ({ end }, path) => (typeof end === "string" ? path.endsWith(end) : end.test(path));

/** The API of a request; `undefined` if it holds no conversation (`count_tokens`, `models`, …). */
export const apiOf = ({ method }, path) => (method === "POST" ? APIS.find((api) => goesTo(api, path)) : undefined);

/** The API in whose form to report an error of the proxy, for any request. */
export const errorsOf = (request, path) => APIS.find((api) => goesTo(api, path)) ?? (request.headers["anthropic-version"] ? ANTHROPIC : CHAT);
