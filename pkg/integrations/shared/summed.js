// Usage of answers for which the provider ran tools itself (a web search, code, MCP). It is the sum over several calls of the model, with
// what the tools returned: it says what the answer cost, but not how large the request was.

/** Calls of the Responses API that the client runs. */
const RUN_BY_CLIENT = new Set(["function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call"]);

/** The usage, marked as a sum if it is one, in the way that the engine knows from the OpenAI Agents SDK. */
export const markedIf = (isSum, usage) => (isSum && usage ? { ...usage, requests: 2 } : usage);

/** The usage in an answer of a provider's API, or in an event of its stream. */
export function usageIn({ usage: own, usageMetadata, output }) {
  const usage = own ?? usageMetadata;
  // Anthropic and Gemini say it in the usage, where the engine reads it.
  const isSum = Array.isArray(output) && output.some((item) => isOfHostedTool(String(item?.type)));
  return markedIf(isSum, usage);
}

/** An output in an answer is that of a shell which the provider ran. */
const isOfHostedTool = (type) => (type.endsWith("_call") && !RUN_BY_CLIENT.has(type)) || type === "shell_call_output";

/** Whether the provider ran one of these parts of an AI SDK answer. */
export const isRunByProvider = (parts) => Array.isArray(parts) && parts.some((part) => (part?.payload ?? part)?.providerExecuted === true);
