export { model, tools } from "./ai-sdk.mjs";
export { client as anthropicClient, runnableTools } from "./anthropic.mjs";
export { model as langchainModel } from "./langchain.mjs";
