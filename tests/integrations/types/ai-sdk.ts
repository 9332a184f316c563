// Compiled, not run: what a user of `ai` 6 and 7 writes.

import { ToolLoopAgent, type LanguageModel, type ModelMessage, type ToolSet, generateText, streamText, wrapLanguageModel } from "ai";
import { Session } from "contextfold";
import { middleware, prepareStep } from "contextfold/ai-sdk";
import * as six from "ai-6";

declare const model: Exclude<LanguageModel, string>;
declare const model6: Exclude<six.LanguageModel, string>;
declare const tools: ToolSet;
declare const tools6: six.ToolSet;
const session = new Session({ model: "gpt-5" });

export const texts = [
  await generateText({ model, tools, prompt: "go", prepareStep: prepareStep({ contextWindow: 128_000 }) }),
  await generateText({ model, prompt: "go", prepareStep: prepareStep({ session, strict: true, onError: console.error }) }),
  streamText({ model, tools, prompt: "go", prepareStep: prepareStep({ session: ({ stepNumber }) => (stepNumber > 0 ? session : new Session()), tools }) }),
  new ToolLoopAgent({ model, tools, prepareStep: prepareStep({ model: "gpt-5" }) }),
  wrapLanguageModel({ model: model as Parameters<typeof wrapLanguageModel>[0]["model"], middleware: middleware({ model: "gpt-5" }) }),
  await six.generateText({ model: model6, tools: tools6, prompt: "go", prepareStep: prepareStep({ contextWindow: 128_000 }) }),
  six.wrapLanguageModel({ model: model6 as Parameters<typeof six.wrapLanguageModel>[0]["model"], middleware: middleware({ session }) }),
];

const step = prepareStep({ contextWindow: 128_000, onReport: ({ decisions }, { tokens }) => console.log(decisions, tokens) });
await generateText({
  model,
  prompt: "go",
  prepareStep: async (args) => ({ ...(await step(args)), toolChoice: "auto" as const }),
});
const messages: ModelMessage[] | undefined = (await step({ messages: [] as ModelMessage[], steps: [], stepNumber: 0 }))?.messages;
console.log(messages);

// Inputs and outputs have the SDK's own types.
await generateText({ model, messages: session.view("ai-sdk") });
prepareStep({
  model: "gpt-5",
  summarize: async (request, { signal }) => {
    const { system, messages } = request.as("ai-sdk");
    const { text, usage, finishReason } = await generateText({ model, ...(system !== undefined && { system }), messages, ...(signal && { abortSignal: signal }) });
    return { text, usage, finish_reason: finishReason };
  },
});

// @ts-expect-error a session has its own options
prepareStep({ session, contextWindow: 128_000 });
// @ts-expect-error no such option
prepareStep({ contextWindows: 128_000 });

export const version: "v3" = middleware({ model: "gpt-5" }).specificationVersion;
// @ts-expect-error it is a version
export const number: number = middleware({ model: "gpt-5" }).specificationVersion;
