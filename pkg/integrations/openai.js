// OpenAI's SDK (`openai` 6 and 7): requests that fit, a loop that runs tools, and a `fetch` for who does not own the loop.
// Nothing of `openai` is imported.

import { ContextError } from "contextfold";
import { BodyKeeper, withSession } from "./shared/bodies.js";
import { sendFitting } from "./shared/http.js";

/** See openai.d.ts. */
export function fit(options) {
  const responses = new BodyKeeper("openai fit", "openai-responses", options);
  const chat = new BodyKeeper("openai fit", "openai-chat", options);
  return async (body, { signal, usage } = {}) => (await (body.messages ? chat : responses).fit(body, { signal, usage })).body;
}

/** See openai.d.ts. */
export function fittingFetch(options = {}) {
  const { fetch: inner = globalThis.fetch, ...rest } = options;
  const keepers = {
    "/responses": new BodyKeeper("openai fetch", "openai-responses", rest),
    "/chat/completions": new BodyKeeper("openai fetch", "openai-chat", rest),
  };
  return async (url, init) => {
    const path = new URL(typeof url === "string" ? url : (url.url ?? url.href)).pathname;
    const keeper = Object.entries(keepers).find(([end]) => path.endsWith(end))?.[1];
    if (!keeper || init?.method?.toUpperCase() !== "POST" || typeof init.body !== "string") return inner(url, init);
    return sendFitting(keeper, init.body, { signal: init.signal ?? undefined, send: (body) => inner(url, { ...init, body }) });
  };
}

/** See openai.d.ts. */
export function runResponses(client, body, options) {
  return run(RESPONSES, client, body, options);
}

/** See openai.d.ts. */
export function runChat(client, body, options) {
  return run(CHAT, client, body, options);
}

const RESPONSES = {
  format: "openai-responses",
  list: "input",
  first: (input) => (typeof input === "string" ? [{ role: "user", content: input }] : input),
  create: (client, body, options) => client.responses.create(body, options),
  made: ({ output }) => output,
  calls: ({ output }) =>
    output
      .filter(({ type }) => type === "function_call" || type === "custom_tool_call")
      .map((call) => ({ call, name: call.name, input: call.type === "function_call" ? call.arguments : call.input, isJson: call.type === "function_call" })),
  answer: (call, output) => ({ type: `${call.type}_output`, call_id: call.call_id, output }),
};

const CHAT = {
  format: "openai-chat",
  list: "messages",
  first: (messages) => messages,
  create: (client, body, options) => client.chat.completions.create(body, options),
  made: ({ choices }) => [choices[0].message],
  calls: ({ choices }) =>
    (choices[0].message.tool_calls ?? []).map((call) => ({ call, name: call[call.type].name, input: call.function?.arguments ?? call.custom.input, isJson: call.type === "function" })),
  answer: (call, content) => ({ role: "tool", tool_call_id: call.id, content }),
};

async function run(api, client, body, options = {}) {
  const { execute = {}, maxSteps = 100, signal, onResponse } = options;
  if (body.stream) throw new ContextError("INVALID_ARGUMENT", "this loop does not stream: make requests fit with `fit`, or give the client `fittingFetch`");
  const own = withSession(options);
  const keeper = new BodyKeeper(`openai ${api.format}`, api.format, own);
  let whole = api.first(body[api.list]);
  for (let step = 1; ; step++) {
    signal?.throwIfAborted();
    const response = await ask(api, keeper, client, { ...body, [api.list]: whole }, signal);
    onResponse?.(response, step);
    whole = [...whole, ...api.made(response)];
    const calls = api.calls(response);
    if (calls.length === 0 || step === maxSteps) return { response, [api.list]: whole, session: own.session, steps: step, finished: calls.length === 0 };
    whole = [...whole, ...(await Promise.all(calls.map(async (made) => api.answer(made.call, await executed(made, execute, signal)))))];
  }
}

async function ask(api, keeper, client, body, signal) {
  const options = signal ? { signal } : undefined;
  let fitting = await keeper.fit(body, { signal });
  for (;;) {
    let response;
    try {
      response = await api.create(client, fitting.body, options);
    } catch (error) {
      const smaller = await keeper.recovered(fitting.conversation, fitting.body, error, { signal });
      if (!smaller) throw error;
      fitting = { ...fitting, body: smaller };
      continue;
    }
    keeper.record(fitting.conversation, response.usage);
    return response;
  }
}

/** What a tool gives, as text; what it throws, too, for the model to see. */
async function executed({ call, name, input, isJson }, execute, signal) {
  try {
    const tool = typeof execute === "function" ? (args) => execute(name, args, { call, signal }) : Object.hasOwn(execute, name) ? execute[name] : undefined;
    if (!tool) return `Error: there is no tool named ${name}`;
    const output = await tool(isJson ? JSON.parse(input || "{}") : input, { call, signal });
    return typeof output === "string" || Array.isArray(output) ? output : (JSON.stringify(output) ?? "");
  } catch (error) {
    signal?.throwIfAborted();
    return `Error: ${error instanceof Error ? error.message : String(error)}`;
  }
}
