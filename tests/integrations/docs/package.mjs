// An agent of each SDK, for the examples of README.md.
export { model, tools } from "./ai-sdk.mjs";
export { messages } from "./anthropic.mjs";
export { model as chatModel, tools as chatTools } from "./langchain.mjs";
export { agent } from "./openai-agents.mjs";
export const input = "Why does the build fail?";
