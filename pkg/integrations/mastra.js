// Mastra (`@mastra/core` 1): a processor for an agent's input, and for the errors of its model. Does not import Mastra.

import { definitionsOf, inParts } from "./shared/ai-prompt.js";
import { Keeper } from "./shared/keeper.js";
import { isRunByProvider, markedIf } from "./shared/summed.js";

const FORMAT = "ai-sdk";

/** See mastra.d.ts. */
export function processor(options) {
  const keeper = new Keeper("mastra processor", FORMAT, options, { mirror: inParts() });
  // Mastra makes a state object for each run of an agent and passes it to every method here. It is the key to what we know of the run.
  const runs = new WeakMap();
  const runOf = (state) => {
    if (!runs.has(state)) runs.set(state, {});
    return runs.get(state);
  };
  return {
    id: "contextfold",
    name: "contextfold",
    description: "Keeps what reaches the model inside its context window.",
    // The only method that gets the step's tools.
    processInputStep({ state, tools, activeTools }) {
      runOf(state).tools = tools && Object.fromEntries(Object.entries(tools).filter(([name]) => activeTools?.includes(name) ?? true));
    },
    async processLLMRequest(args) {
      const { prompt, state, abortSignal: signal } = args;
      const run = runOf(state);
      const about = async () => ({ tools: run.tools && (await definitionsOf(run.tools)), model: args.model, signal, args });
      run.fitting = await keeper.fit(prompt, about);
      const { list } = run.fitting;
      return list === prompt ? undefined : { prompt: list };
    },
    processLLMResponse({ state, chunks, fromCache }) {
      const usage = chunks.findLast(({ type }) => type === "finish")?.payload?.output?.usage;
      if (!fromCache) keeper.record(runOf(state).fitting, markedIf(isRunByProvider(chunks), usage));
    },
    // The next view is smaller because of what was learnt from the refusal. Mastra gets it when it calls the model again.
    async processAPIError({ state, error, abortSignal: signal }) {
      return { retry: (await keeper.recovered(runOf(state).fitting, error, { signal })) !== null };
    },
  };
}
