// The AI SDK (`ai` 6 and 7): a `prepareStep`, and a middleware for who does not own the loop. Nothing of `ai` is imported.

import { Keeper } from "./shared/keeper.js";
import { Mirror } from "./shared/mirror.js";
import { withoutBytes } from "./shared/bytes.js";

const FORMAT = "ai-sdk";
const bytesApart = () => new Mirror(withoutBytes);

/** See ai-sdk.d.ts. */
export function prepareStep(options) {
  const keeper = new Keeper("ai-sdk prepareStep", FORMAT, options, { mirror: bytesApart(), more: ["tools", "instructions", "signal"] });
  const { tools, instructions, signal } = keeper.options;
  return async (args) => {
    const { list } = await keeper.fit(args.messages, {
      // In version 6 a hook is not told what the instructions are; there, and for tools, the options say it.
      header: headerOf(args.instructions ?? instructions),
      tools: tools && (await definitionsOf(tools)),
      usage: args.steps.at(-1)?.usage,
      signal,
      args,
    });
    // Version 7 (the one that hands over `initialMessages`) carries an override forward, version 6 does not: either way
    // what comes in next is recognised, so an override is only given where something has changed.
    return list === args.messages ? undefined : { messages: list };
  };
}

/** See ai-sdk.d.ts. */
export function middleware(options) {
  const keeper = new Keeper("ai-sdk middleware", FORMAT, options, { mirror: bytesApart() });
  const sent = new WeakMap(); // the conversation of a call's parameters
  const again = async (params, error) => {
    const prompt = await keeper.recovered(sent.get(params), error, { signal: params.abortSignal });
    return prompt && { ...params, prompt };
  };
  return {
    specificationVersion: "v4",
    async transformParams({ params, model, type }) {
      const { list, conversation } = await keeper.fit(params.prompt, { tools: params.tools, signal: params.abortSignal, args: { params, model, type } });
      const out = list === params.prompt ? params : { ...params, prompt: list };
      if (conversation) sent.set(out, conversation);
      return out;
    },
    async wrapGenerate({ doGenerate, params, model }) {
      let result;
      try {
        result = await doGenerate();
      } catch (error) {
        const smaller = await again(params, error);
        if (!smaller) throw error;
        result = await model.doGenerate(smaller);
      }
      keeper.record(sent.get(params), result.usage);
      return result;
    },
    async wrapStream({ doStream, params, model }) {
      let result;
      try {
        result = await doStream();
      } catch (error) {
        const smaller = await again(params, error);
        if (!smaller) throw error;
        result = await model.doStream(smaller);
      }
      const listening = new TransformStream({
        transform(chunk, controller) {
          if (chunk.type === "finish") keeper.record(sent.get(params), chunk.usage);
          controller.enqueue(chunk);
        },
      });
      return { ...result, stream: result.stream.pipeThrough(listening) };
    },
  };
}

/** Instructions as a header: a text, or one or more system messages. */
function headerOf(instructions) {
  if (instructions === undefined || typeof instructions === "string") return instructions;
  return [instructions].flat().map(({ content }) => ({ role: "system", content }));
}

const definitions = new WeakMap();

/** Definitions of a tool set, to be counted. A schema of zod's counts as nothing: only `ai` could say what it is. */
async function definitionsOf(tools) {
  let known = definitions.get(tools);
  if (!known) {
    known = await Promise.all(
      Object.entries(tools).map(async ([name, tool]) => {
        const schema = typeof tool.inputSchema === "function" ? tool.inputSchema() : tool.inputSchema;
        return { type: "function", name, description: tool.description, inputSchema: (await schema?.jsonSchema) ?? {} };
      }),
    );
    definitions.set(tools, known);
  }
  return known;
}
