// A session whose model is handed our tools: its views may name the refs that these open. A hook that sees a call's tools says so itself.

import { toolDefinitions } from "contextfold";

const OPENS = "tool_output_cache";

/** Tells a session that its model has our tools, beside those that it already knows. A function that returns a session later is left alone. */
export function tellOfTools(session) {
  if (typeof session?.setTools !== "function") return;
  const tools = session.tools;
  if (!tools.some((tool) => (tool.function ?? tool).name === OPENS)) session.setTools("openai-chat", [...tools, ...toolDefinitions("openai-chat")]);
}
