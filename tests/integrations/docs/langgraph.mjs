import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { tool } from "@langchain/core/tools";

const called = () => new AIMessage({ content: "", tool_calls: [{ name: "build", args: {}, id: "c1", type: "tool_call" }] });
export const tools = [tool(() => "error[E0308]", { name: "build", description: "Builds.", schema: { type: "object", properties: {} } })];
export const model = fakeModel().respond(called()).respond(new AIMessage("It is E0308.")).bindTools(tools);
export const chatModel = fakeModel().respond(new AIMessage("It is E0308."));
