// The two APIs of OpenAI that a loop can use: how to send a request, and which parts of an answer are appended to the list.

import { completionOf } from "./chat-stream.js";

export const RESPONSES = {
  format: "openai-responses",
  list: "input",
  first: (input) => (typeof input === "string" ? [{ role: "user", content: input }] : input),
  create: (client, body, options) => client.responses.create(body, options),
  /** The answer at the end of a stream of events. */
  async streamed(events) {
    for await (const event of events) {
      if (event.type === "error") throw Object.assign(new Error(event.message ?? event.error?.message), { code: event.code ?? event.error?.code });
      if (ENDS.has(event.type)) return withText(event.response);
    }
  },
  /** A stream that began normally reports a refusal in its last event. */
  refusal: ({ status, error }) => (status === "failed" ? error : undefined),
  isAnswer: ({ output }) => Array.isArray(output),
  noAnswer: "the answer has no list `output`",
  made: ({ output }) => output,
  idKey: "call_id",
  withIds(response, ids) {
    const next = ids.values();
    return { ...response, output: response.output.map((item) => (isCall(item) ? { ...item, call_id: next.next().value } : item)) };
  },
  calls: ({ output }) =>
    output
      .filter(isCall)
      .map((call) => ({ call, name: call.name, input: call.type === "function_call" ? call.arguments : call.input, isJson: call.type === "function_call" })),
  callsIn: (item) => RESPONSES.calls({ output: [item] }),
  endsAnswer: (item) => isGiven(item),
  /** The calls of the answer that the list ends with: everything behind the last message of the user or output. */
  callsAtEnd: (list) => RESPONSES.calls({ output: list.slice(list.findLastIndex(isGiven) + 1) }),
  answer: (call, output) => ({ type: `${call.type}_output`, call_id: call.call_id, output }),
};

/** Whether an item is no part of a model's answer. */
const isGiven = (item) => (item?.role !== undefined && item.role !== "assistant") || Boolean(item?.type?.endsWith("_output"));

const isCall = ({ type }) => type === "function_call" || type === "custom_tool_call";

/** The response with `output_text`, which the API does not send; the SDK adds it only to responses that are not streamed. */
function withText(response) {
  if (typeof response?.output_text === "string") return response;
  const texts = (response?.output ?? []).filter(({ type }) => type === "message").flatMap(({ content }) => content ?? []);
  return { ...response, output_text: texts.filter(({ type }) => type === "output_text").map(({ text }) => text).join("") };
}

const ENDS = new Set(["response.completed", "response.incomplete", "response.failed"]);

export const CHAT = {
  format: "openai-chat",
  list: "messages",
  first: (messages) => messages,
  // A stream reports usage only on request.
  create: (client, body, options) => client.chat.completions.create(body.stream ? { ...body, stream_options: { include_usage: true, ...body.stream_options } } : body, options),
  streamed: completionOf,
  refusal: () => undefined,
  isAnswer: ({ choices }) => typeof choices?.[0]?.message === "object" && choices[0].message !== null,
  noAnswer: "the answer has no choice with a message (`choices[0].message`)",
  made: ({ choices }) => [choices[0].message],
  idKey: "id",
  withIds(response, ids) {
    const [first, ...rest] = response.choices;
    const message = { ...first.message, tool_calls: first.message.tool_calls.map((call, i) => ({ ...call, id: ids[i] })) };
    return { ...response, choices: [{ ...first, message }, ...rest] };
  },
  // Some servers leave out the type of a function.
  calls: ({ choices }) =>
    (choices[0].message.tool_calls ?? []).map((call) => {
      const type = call.type ?? "function";
      const called = call[type];
      return { call, name: called?.name, input: called?.arguments ?? called?.input, isJson: type === "function" };
    }),
  callsIn: (message) => CHAT.calls({ choices: [{ message }] }),
  endsAnswer: () => true,
  callsAtEnd: (list) => CHAT.callsIn(list.at(-1) ?? {}),
  answer: (call, content) => ({ role: "tool", tool_call_id: call.id, content }),
};
