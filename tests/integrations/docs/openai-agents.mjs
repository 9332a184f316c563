import { Agent, setTracingDisabled, tool } from "@openai/agents";
import { ScriptedModel, assistantMessage, functionCall } from "@openai/agents/testing";

setTracingDisabled(true);
const build = tool({ name: "build", description: "Builds.", parameters: { type: "object", properties: {}, required: [], additionalProperties: true }, strict: false, execute: async () => "error[E0308]" });
export const tools = [build];
export const agent = new Agent({ name: "builder", model: new ScriptedModel([[functionCall("build", {}, { callId: "c1", id: "fc_1" })], [assistantMessage("It is E0308.")], [assistantMessage("Mended.")]]), tools });
