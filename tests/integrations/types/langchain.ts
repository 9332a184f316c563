// Compiled, not run: what a user of `langchain` writes.

import { Session } from "contextfold";
import { middleware, tools } from "contextfold/langchain";
import { createAgent } from "langchain";

const session = new Session({ contextWindow: 128_000 });
export const agents = [
  createAgent({ model: "openai:gpt-5", tools: tools(session), middleware: [middleware({ session })] }),
  createAgent({ model: "openai:gpt-5", tools: [], middleware: [middleware({ model: "gpt-5", strict: true })] }),
];
