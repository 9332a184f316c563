// The AI SDK's own providers, in both majors, with a `fetch` that records the request and answers without a network.

import * as ai6 from "ai-6";
import { createAnthropic as anthropic6 } from "ai-sdk-anthropic-3";
import { createGoogleGenerativeAI as google6 } from "ai-sdk-google-3";
import { createOpenAI as openai6 } from "ai-sdk-openai-3";
import * as ai7 from "ai";
import { createAnthropic as anthropic7 } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI as google7 } from "@ai-sdk/google";
import { createOpenAI as openai7 } from "@ai-sdk/openai";

const MAJORS = [
  { major: "ai 6", ai: ai6, anthropic: anthropic6, google: google6, openai: openai6 },
  { major: "ai 7", ai: ai7, anthropic: anthropic7, google: google7, openai: openai7 },
];

const ANSWERS = {
  anthropic: { id: "m", type: "message", role: "assistant", model: "m", stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 }, content: [{ type: "text", text: "Done." }] },
  "openai-chat": { id: "c", object: "chat.completion", created: 0, model: "m", usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }, choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Done." } }] },
  "openai-responses": {
    id: "r", object: "response", created_at: 0, status: "completed", model: "m", usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    output: [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done.", annotations: [] }] }],
  },
  google: { candidates: [{ content: { role: "model", parts: [{ text: "Done." }] }, finishReason: "STOP", index: 0 }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } },
};

const MODELS = {
  anthropic: ({ anthropic }, settings) => anthropic(settings)("claude-opus-4-5"),
  "openai-chat": ({ openai }, settings) => openai(settings).chat("gpt-4.1"),
  "openai-responses": ({ openai }, settings) => openai(settings).responses("gpt-5"),
  google: ({ google }, settings) => google(settings)("gemini-3-pro"),
};

const BYTES = Buffer.from("iVBORw0KGgo=", "base64");
/** For providers that do not accept the URL of a file: the SDK would fetch it. */
const download = async (files) => files.map(({ url, isUrlSupportedByModel }) => (isUrlSupportedByModel ? null : { data: BYTES, mediaType: url.pathname.endsWith(".pdf") ? "application/pdf" : "image/png" }));

/** Each provider's API in each major: `{ name, format, bodyOf(messages, more) }`; `bodyOf` returns the body of the request. */
export const providers = MAJORS.flatMap((sdk) =>
  Object.keys(ANSWERS).map((format) => ({
    name: `${sdk.major} → ${format}`,
    format,
    async bodyOf(messages, { middleware, ...more } = {}) {
      const bodies = [];
      const fetch = async (_, { body }) => {
        bodies.push(JSON.parse(body));
        return new Response(JSON.stringify(ANSWERS[format]), { headers: { "content-type": "application/json" } });
      };
      const own = MODELS[format](sdk, { apiKey: "none", fetch });
      const model = middleware ? sdk.ai.wrapLanguageModel({ model: own, middleware }) : own;
      const tools = more.tools && Object.fromEntries(Object.entries(more.tools).map(([name, tool]) => [name, sdk.ai.tool({ ...tool, inputSchema: sdk.ai.jsonSchema({ type: "object" }) })]));
      await sdk.ai.generateText({ model, messages, allowSystemInMessages: true, maxRetries: 0, experimental_download: download, ...more, ...(tools && { tools }) });
      if (bodies.length !== 1) throw new Error(`${bodies.length} requests instead of one`);
      return bodies[0];
    },
  })),
);
