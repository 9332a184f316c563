import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { tool } from "langchain";

export const model = fakeModel()
  .respond(new AIMessage({ content: "", tool_calls: [{ name: "build", args: {}, id: "c1", type: "tool_call" }] }))
  .respond(new AIMessage("It is E0308."));
export const tools = [tool(() => "error[E0308]", { name: "build", description: "Builds.", schema: { type: "object", properties: {} } })];
