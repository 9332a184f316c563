// The AI SDK (`ai` 6 and 7): a `prepareStep`, and a middleware for loops that the caller does not control. Does not import `ai`.

import { definitionsOf, inParts } from "./shared/ai-prompt.js";
import { withoutBytes } from "./shared/bytes.js";
import { Keeper } from "./shared/keeper.js";
import { Mirror } from "./shared/mirror.js";
import { peekFirst } from "./shared/streams.js";
import { isRunByProvider, markedIf } from "./shared/summed.js";

const FORMAT = "ai-sdk";
const bytesApart = () => new Mirror(withoutBytes);

/** See ai-sdk.d.ts. */
export function prepareStep(options) {
  const keeper = new Keeper("ai-sdk prepareStep", FORMAT, options, { mirror: bytesApart(), more: ["tools", "instructions", "signal"] });
  const { tools, instructions, signal } = keeper.options;
  return async (args) => {
    const { list } = await keeper.fit(args.messages, async () => ({
      // Version 6 does not pass the instructions to hooks, and no version passes the tools: then the options have them.
      header: headerOf(args.instructions ?? instructions),
      tools: tools && (await definitionsOf(tools)),
      usage: usageOf(args.steps.at(-1)),
      model: args.model,
      signal,
      args,
    }));
    // Version 7 (which passes `initialMessages`) carries an override over to later steps, version 6 does not. Either way the next
    // list is recognised, so the messages are overridden only if something has changed.
    return list === args.messages ? undefined : { messages: list };
  };
}

/** See ai-sdk.d.ts. */
export function middleware(options) {
  const keeper = new Keeper("ai-sdk middleware", FORMAT, options, { mirror: inParts() });
  const fittings = new WeakMap(); // of each call, by the call's parameters
  const smaller = async (params, error) => {
    const fitting = await keeper.recovered(fittings.get(params), error, { signal: params.abortSignal });
    if (!fitting) return null;
    fittings.set(params, fitting);
    return { ...params, prompt: fitting.list };
  };
  /** Calls the model. If the request is refused as too long, retries once with a smaller one. */
  const called = async (params, call, callAgain) => {
    try {
      return await call();
    } catch (error) {
      const fitting = await smaller(params, error);
      if (!fitting) throw error;
      return callAgain(fitting);
    }
  };
  return {
    specificationVersion: "v3",
    async transformParams({ params, model, type }) {
      const fitting = await keeper.fit(params.prompt, { tools: params.tools, model, signal: params.abortSignal, args: { params, model, type } });
      const out = fitting.list === params.prompt ? params : { ...params, prompt: fitting.list };
      fittings.set(out, fitting);
      return out;
    },
    async wrapGenerate({ doGenerate, params, model }) {
      const result = await called(params, doGenerate, (fitting) => model.doGenerate(fitting));
      keeper.record(fittings.get(params), usageOf(result));
      return result;
    },
    async wrapStream({ doStream, params, model }) {
      const result = await called(params, doStream, (fitting) => model.doStream(fitting));
      // Some providers send a refusal as the first event of a stream.
      const { stream, error } = await peekFirst(result.stream);
      const fitting = error && (await smaller(params, error));
      if (fitting) await stream.cancel().catch(() => {}); // because it holds a connection open
      const { stream: whole, ...rest } = fitting ? await model.doStream(fitting) : { ...result, stream };
      let isSum = false;
      const listening = new TransformStream({
        transform(chunk, controller) {
          isSum ||= isRunByProvider([chunk]);
          if (chunk.type === "finish") keeper.record(fittings.get(params), markedIf(isSum, chunk.usage));
          controller.enqueue(chunk);
        },
      });
      return { ...rest, stream: whole.pipeThrough(listening) };
    },
  };
}

/** The usage of a step, or of a model's result. */
const usageOf = (result) => markedIf(isRunByProvider(result?.content), result?.usage);

/** Instructions as a header: a text, or one or more system messages. */
function headerOf(instructions) {
  if (instructions === undefined || typeof instructions === "string") return instructions;
  return [instructions].flat().map(({ content }) => ({ role: "system", content }));
}
