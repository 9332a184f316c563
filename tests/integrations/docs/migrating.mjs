// Each example takes what it needs: version 7 of `ai` cannot be loaded in Node 20.
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";

export { client as anthropicClient, runnableTools } from "./anthropic.mjs";
export const langchainModel = fakeModel().respond(new AIMessage("It is E0308."));
const old = Number(process.versions.node.split(".")[0]) < 22;
export const { model, tools } = old ? {} : await import("./ai-sdk.mjs");
