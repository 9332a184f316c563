export { model, tools } from "./ai-sdk.mjs";
export { messages } from "./anthropic.mjs";
export { model as chatModel, tools as chatTools } from "./langchain.mjs";
export { agent } from "./openai-agents.mjs";
export declare const input: string;
