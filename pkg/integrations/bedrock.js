// Amazon Bedrock's client (`@aws-sdk/client-bedrock-runtime` 3): a plugin whose requests fit. Nothing of it is imported.

import { BodyKeeper } from "./shared/bodies.js";

const COMMANDS = new Set(["ConverseCommand", "ConverseStreamCommand"]);

/** See bedrock.d.ts. */
export function plugin(options) {
  const keeper = new BodyKeeper("bedrock plugin", "bedrock-converse", options, { more: ["cacheMarks"] });
  const middleware = (next, context) => async (args) => {
    const { input } = args;
    if (!COMMANDS.has(context.commandName) || !Array.isArray(input?.messages)) return next(args);
    const { body, conversation } = await keeper.fit(input);
    const send = (body) => next(body === input ? args : { ...args, input: { ...body, messages: body.messages.map(withBytes) } });
    let result;
    try {
      result = await send(body);
    } catch (error) {
      const smaller = await keeper.recovered(conversation, body, error);
      if (!smaller) throw error;
      result = await send(smaller);
    }
    if (!conversation) return result;
    const { output } = result;
    if (!output.stream) {
      keeper.record(conversation, output.usage, body);
      return result;
    }
    const stream = heard(output.stream, (usage) => keeper.record(conversation, usage, body));
    return { ...result, output: { ...output, stream } };
  };
  return { applyToStack: (stack) => stack.add(middleware, { step: "initialize", name: "contextfoldMiddleware", tags: ["CONTEXTFOLD"] }) };
}

/** The stream as it comes; what it says of usage is heard on its way. */
function heard(stream, record) {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const event of stream) {
        if (event.metadata?.usage) record(event.metadata.usage);
        yield event;
      }
    },
  };
}

const MEDIA = ["image", "document", "video", "audio"];

/** What came in another format has its bytes as base64 text, which the client would encode once more. */
function withBytes(message) {
  const content = blocks(message.content);
  return content === message.content ? message : { ...message, content };
}

function blocks(list) {
  const out = list.map((block) => {
    if (Array.isArray(block.toolResult?.content)) {
      const content = blocks(block.toolResult.content);
      return content === block.toolResult.content ? block : { ...block, toolResult: { ...block.toolResult, content } };
    }
    const key = MEDIA.find((key) => typeof block[key]?.source?.bytes === "string");
    if (key) return { ...block, [key]: { ...block[key], source: { ...block[key].source, bytes: bytesOf(block[key].source.bytes) } } };
    const redacted = block.reasoningContent?.redactedContent;
    return typeof redacted === "string" ? { ...block, reasoningContent: { redactedContent: bytesOf(redacted) } } : block;
  });
  return out.every((block, i) => block === list[i]) ? list : out;
}

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
