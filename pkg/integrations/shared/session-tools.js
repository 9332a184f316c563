// For a session whose model gets our tools: its views may then mention the refs that these tools open. Hooks that see the tools of a
// call set them on the session themselves.

import { toolDefinitions } from "contextfold";

const OUTPUT_TOOL = "tool_output_cache";

/** Adds our tools to those that the session knows its model has. Does nothing if `session` is a function. */
export function addOurTools(session) {
  if (typeof session?.setTools !== "function") return;
  const tools = session.tools;
  if (!tools.some((tool) => (tool.function ?? tool).name === OUTPUT_TOOL)) session.setTools("openai-chat", [...tools, ...toolDefinitions("openai-chat")]);
}
