// For a session whose model gets our tools: its views may then mention the refs that these tools open. Hooks that see the tools of a
// call set them on the session themselves.

import { toolDefinitions } from "contextfold";

const OPENS = "tool_output_cache";

/** Adds our tools to those that the session knows its model has. Does nothing if `session` is a function. */
export function tellOfTools(session) {
  if (typeof session?.setTools !== "function") return;
  const tools = session.tools;
  if (!tools.some((tool) => (tool.function ?? tool).name === OPENS)) session.setTools("openai-chat", [...tools, ...toolDefinitions("openai-chat")]);
}
