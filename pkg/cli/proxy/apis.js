// The APIs whose conversations are kept: where their requests go, how they say an error, and how a summary is asked for.

/** Fields of an answer in the shape in which a session takes a summary. */
const summary = (text, usage, finish_reason) => ({ text, ...(usage && { usage }), ...(finish_reason && { finish_reason }) });

const openaiError = (message, { code }) => ({ error: { message, type: "contextfold_proxy", param: null, code } });
const textsOf = (parts, type) => (parts ?? []).filter((part) => part?.type === type).map(({ text }) => text).join("");

/** Google's names of the statuses that the proxy answers with itself. */
const STATUSES = { 403: "PERMISSION_DENIED", 413: "INVALID_ARGUMENT", 502: "UNAVAILABLE" };

export const APIS = [
  {
    name: "responses",
    end: "/responses",
    format: "openai-responses",
    reserved: (body) => body.max_output_tokens,
    error: openaiError,
    // Nobody is to find it among what the service keeps.
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
      return { ...asked, [body.max_tokens === undefined ? "max_completion_tokens" : "max_tokens"]: most }; // many hosts only know the older name
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
    /** The model stands in the path. */
    model: (path) => /\/([^/:]+):\w+$/.exec(path)?.[1],
    reserved: (body) => (body.generationConfig ?? body.generation_config)?.maxOutputTokens,
    error: (message, { status }) => ({ error: { code: status, message, status: STATUSES[status] ?? "INTERNAL" } }),
    asks(request) {
      const { contents, config: { maxOutputTokens, temperature, ...config } = {} } = request.as("gemini");
      return { contents, ...config, generationConfig: { maxOutputTokens, temperature } };
    },
    /** A summary is asked for whole, though the answer is streamed. */
    path: (path) => path.replace(/:streamGenerateContent/, ":generateContent").replace(/([?&])alt=sse&?/, "$1").replace(/[?&]$/, ""),
    answered: ({ candidates, usageMetadata }) => summary((candidates?.[0]?.content?.parts ?? []).map(({ text, thought }) => (thought ? "" : (text ?? ""))).join(""), usageMetadata, candidates?.[0]?.finishReason),
  },
];

const [, CHAT, ANTHROPIC] = APIS;

const goesTo = ({ end }, path) => (typeof end === "string" ? path.endsWith(end) : end.test(path));

/** The API that a request goes to; `undefined` where it has no conversation (`count_tokens`, `models`, …). */
export const apiOf = ({ method }, path) => (method === "POST" ? APIS.find((api) => goesTo(api, path)) : undefined);

/** The API that reads an error of ours, whatever was asked for. */
export const errorsOf = (request, path) => APIS.find((api) => goesTo(api, path)) ?? (request.headers["anthropic-version"] ? ANTHROPIC : CHAT);
