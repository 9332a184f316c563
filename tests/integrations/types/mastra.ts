// Compiled, not run: what a user of `@mastra/core` writes.

import { Agent } from "@mastra/core/agent";
import { Session } from "contextfold";
import { processor } from "contextfold/mastra";
import { aiSdkTools } from "contextfold/tools";

const session = new Session({ contextWindow: 128_000 });
const own = processor({ session });
const keyed = processor({ model: "gpt-5", strict: true, key: ({ requestContext, stepNumber }) => (stepNumber > 0 ? requestContext?.get("chat") : undefined) });
const about = { name: "builder", instructions: "You build.", model: "openai/gpt-5" };
export const agents = [
  new Agent({ ...about, id: "a", tools: aiSdkTools(session), inputProcessors: [own], errorProcessors: [own], maxProcessorRetries: 3 }),
  new Agent({ ...about, id: "b", inputProcessors: () => [keyed] }),
];

// @ts-expect-error no such option
processor({ contextWindows: 128_000 });
