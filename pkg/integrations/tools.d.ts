import type { Session } from "contextfold";

/** The names of the tools. */
export type ToolName = "tool_output_cache" | "tool_output_cache_grep" | "search_history";

/** A session; or what gives it, where it is made later. */
export type SessionSource = Session | (() => Session | Promise<Session>);

/**
 * Runs one of the tools as a model called it, and gives the text that it is answered: `tool_output_cache` reads a stored output by
 * line, `tool_output_cache_grep` searches one, `search_history` finds a text in all that was ever said. A ref that there is not
 * and a pattern that does not parse are answered as errors for the model to see.
 *
 * @throws {ContextError} `INVALID_ARGUMENT` for a tool that there is not.
 */
export declare function runTool(session: SessionSource, name: ToolName, args: object): Promise<string>;

/**
 * For `tools` of `ai` 6 and 7.
 *
 * ```js
 * const session = new Session({ contextWindow: 128_000 });
 * await generateText({ model, messages, tools: { ...tools, ...aiSdkTools(session) }, prepareStep: prepareStep({ session }) });
 * ```
 */
export declare function aiSdkTools(session: SessionSource): { [name in ToolName]: { description: string; inputSchema: any; execute: (args: any) => Promise<string> } };

/** The definitions for a request of OpenAI's, and what runs them: what `execute` of `contextfold/openai` takes. */
export declare function openaiTools(session: SessionSource, api?: "responses"): { tools: { type: "function"; name: ToolName; description: string; parameters: { [key: string]: unknown }; strict: false }[]; execute: { [name in ToolName]: (args: object) => Promise<string> } };
export declare function openaiTools(session: SessionSource, api: "chat"): { tools: { type: "function"; function: { name: ToolName; description: string; parameters: { [key: string]: unknown } } }[]; execute: { [name in ToolName]: (args: object) => Promise<string> } };

/** For `tools` of `client.chat.completions.runTools`. */
export declare function openaiRunnableTools(session: SessionSource): { type: "function"; function: { name: ToolName; description: string; parameters: { [key: string]: unknown }; parse: (input: string) => object; function: (args: object) => Promise<string> } }[];

/** For `tools` of `client.beta.messages.toolRunner`. */
export declare function anthropicTools(session: SessionSource): { name: ToolName; description: string; input_schema: { type: "object"; [key: string]: unknown }; parse: (input: unknown) => object; run: (args: object) => Promise<string> }[];

/** For `tools` of an `Agent` of `@openai/agents`. */
export declare function openaiAgentsTools(session: SessionSource): {
  type: "function";
  name: ToolName;
  description: string;
  parameters: { type: "object"; properties: { [name: string]: any }; required: string[]; additionalProperties: true };
  strict: false;
  needsApproval: () => Promise<boolean>;
  isEnabled: () => Promise<boolean>;
  invoke: (context: any, input: string) => Promise<string>;
}[];

/**
 * Registers the three tools at an `McpServer` of `@modelcontextprotocol/server` 2. `npx contextfold mcp` is a server that does nothing
 * else, for a session that was saved.
 */
export declare function registerMcpTools(server: { registerTool(name: string, config: any, run: any): unknown }, session: SessionSource): void;
