import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";

export { model, tools } from "./ai-sdk.mjs";
export { client as anthropicClient, runnableTools } from "./anthropic.mjs";
export const langchainModel = fakeModel().respond(new AIMessage("It is E0308."));
