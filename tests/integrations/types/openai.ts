// Compiled, not run: what a user of `openai` writes.

import type { Session, Summarize } from "contextfold";
import { fit, fittingFetch, runChat, runResponses } from "contextfold/openai";
import OpenAI from "openai";

const client = new OpenAI({ fetch: fittingFetch({ model: "gpt-5", fetch: globalThis.fetch }) });
const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: "go" }];
const tools: OpenAI.Responses.Tool[] = [];

const fitting = fit({ model: "gpt-5", onError: console.error });
const response = await client.responses.create(await fitting({ model: "gpt-5", tools, input }, { signal: AbortSignal.timeout(1000) }));
input.push(...(response.output as OpenAI.Responses.ResponseInputItem[])); // the SDK does not accept its own output as input
const completion = await client.chat.completions.create(await fitting({ model: "gpt-5", messages: [{ role: "user", content: "go" } as const] }, { usage: response.usage }));
console.log(completion.choices[0]?.message);

const done = await runResponses(client, { model: "gpt-5", input, tools }, { model: "gpt-5", strict: true, execute: { build: ({ n }: { n: number }) => String(n) } });
const text: string = done.response.output_text;
const session: Session = done.session;
input.push(...done.input);
const chat = await runChat(client, { model: "gpt-5", messages: [] }, { session, execute: (name, args) => `${name} ${String(args)}`, onResponse: ({ usage }, step) => console.log(usage, step) });
const messages: OpenAI.Chat.ChatCompletionMessageParam[] = chat.messages;
console.log(text, messages);

// Inputs and outputs have the SDK's own types.
await client.responses.create({ model: "gpt-5", ...session.view("openai-responses") });
await client.chat.completions.create({ model: "gpt-5", messages: session.view("openai-chat") });
const summarize: Summarize = async (request, { signal }) => {
  const { output_text, usage } = await client.responses.create({ ...request.as("openai-responses"), model: "gpt-5-mini" }, { signal: signal ?? null });
  return { text: output_text, usage };
};
fit({ model: "gpt-5", summarize });

const streamed = await runResponses(client, { model: "gpt-5", input, tools, stream: true }, { session, onEvent: (event, step) => event.type === "response.output_text.delta" && console.log(step, event.delta) });
const whole: OpenAI.Responses.Response = streamed.response;
await runChat(client, { model: "gpt-5", messages, stream: true }, { session, onEvent: async ({ choices }) => console.log(choices[0]?.delta.content, whole.status) });
// @ts-expect-error no such option
await runChat(client, { model: "gpt-5", messages }, { session, onChunk: console.log });

// A tool's arguments need no annotation, and a key may be a function of the body.
await runResponses(client, { model: "gpt-5", input, tools }, { model: "gpt-5", execute: { build: async (args) => String(args.target) } });
fit({ contextWindow: 128_000, key: (body) => ("user" in body ? String(body.user) : undefined), onReport: ({ conversation }) => console.log(conversation.by, conversation.entries) });
// @ts-expect-error: the caller's own session is the conversation
fit({ session, key: "chat-17" });
