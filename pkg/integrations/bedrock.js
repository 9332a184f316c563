// Amazon Bedrock's client (`@aws-sdk/client-bedrock-runtime` 3): a plugin that makes requests fit. Does not import the SDK.
//
// The plugin runs at the first step of the client's stack: there a command still has its input as an object, and a second request
// is serialised and signed like any other.

import { BodyKeeper } from "./shared/bodies.js";

const COMMANDS = new Set(["ConverseCommand", "ConverseStreamCommand"]);

/** See bedrock.d.ts. */
export function plugin(options) {
  const keeper = new BodyKeeper("bedrock plugin", "bedrock-converse", options, { more: ["cacheMarks"] });
  const middleware = (next, context) => async (args) => {
    const { input } = args;
    if (!COMMANDS.has(context.commandName) || !Array.isArray(input?.messages)) return next(args);
    let fitting = await keeper.fit(input);
    const send = (body) => next(body === input ? args : { ...args, input: body });
    let result;
    try {
      result = await send(fitting.body);
    } catch (error) {
      const smaller = await keeper.recovered(fitting, error);
      if (!smaller) throw error;
      fitting = smaller;
      result = await send(fitting.body);
    }
    if (!fitting.conversation) return result;
    const { output } = result;
    if (!output.stream) {
      keeper.record(fitting, output.usage);
      return result;
    }
    const stream = withUsageListener(output.stream, (usage) => keeper.record(fitting, usage));
    return { ...result, output: { ...output, stream } };
  };
  return { applyToStack: (stack) => stack.add(middleware, { step: "initialize", name: "contextfoldMiddleware", tags: ["CONTEXTFOLD"] }) };
}

/** Passes a stream on unchanged, and records the usage in its events. */
function withUsageListener(stream, record) {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const event of stream) {
        if (event.metadata?.usage) record(event.metadata.usage);
        yield event;
      }
    },
  };
}
