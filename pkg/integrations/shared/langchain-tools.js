// The three tools by which a model reads what its view leaves out, as LangChain tools.

import { toolDefinitions } from "contextfold";
import { tool } from "@langchain/core/tools";
import { runTool } from "../tools.js";
import { addOurTools } from "./session-tools.js";

export function tools(session) {
  addOurTools(session);
  return toolDefinitions("openai-responses").map(({ name, description, parameters }) => tool((args) => runTool(session, name, args), { name, description, schema: parameters }));
}
