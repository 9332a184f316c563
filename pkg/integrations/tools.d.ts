import type { Session } from "contextfold";

/** The names of the tools. */
export type ToolName = "tool_output_cache" | "tool_output_cache_grep" | "search_history";

/** A session, or a function that returns it if it is made later. While it returns `null`, the tools answer that there is no session. */
export type SessionSource = Session | (() => Session | null | undefined | Promise<Session | null | undefined>);

/**
 * Runs one of the tools as a model called it, and returns the text of its output. `tool_output_cache` reads lines of a stored
 * output, `tool_output_cache_grep` searches a stored output, `search_history` searches the whole history and the tool outputs in
 * the session's store (the 200 newest, until there are enough hits). For an unknown ref, an invalid pattern or arguments that are
 * not a JSON object, the text is an error message for the model.
 *
 * @param name A `ToolName`, as the model called it.
 * @param args The arguments: an object, or JSON text as in OpenAI's APIs (`call.function.arguments`).
 * @throws {ContextError} `INVALID_ARGUMENT` for an unknown tool.
 */
export declare function runTool(session: SessionSource, name: ToolName | (string & {}), args: object | string): Promise<string>;

/** JSON Schema of a tool's arguments. */
export type ToolParameters = { type: "object"; properties: { [name: string]: { [key: string]: unknown } }; [key: string]: unknown };

/** Runs a tool with the model's arguments, and returns the text of its output. */
export type RunTool = (args: unknown) => Promise<string>;

/** A tool for `ai`. */
export interface AiSdkTool {
  /** The description for the model. */
  description: string;
  /** A schema as made by `jsonSchema` of `ai`; `any`, because the type differs between `ai` 6 and 7. */
  inputSchema: any;
  /** Runs it. */
  execute: RunTool;
}

/**
 * For `tools` of `ai` 6 and 7.
 *
 * ```js
 * const session = new Session({ contextWindow: 128_000 });
 * await generateText({ model, messages, tools: { ...tools, ...aiSdkTools(session) }, prepareStep: prepareStep({ session }) });
 * ```
 */
export declare function aiSdkTools(session: SessionSource): Record<ToolName, AiSdkTool>;

/** A tool for the Responses API. */
export interface ResponsesTool {
  type: "function";
  name: ToolName;
  /** The description for the model. */
  description: string;
  parameters: ToolParameters;
  strict: false;
}

/** A tool for Chat Completions. */
export interface ChatTool {
  type: "function";
  function: { name: ToolName; description: string; parameters: ToolParameters };
}

/** The tool definitions for a request to OpenAI, and the functions that run them, for `execute` of `contextfold/openai`. */
export declare function openaiTools(session: SessionSource, api?: "responses"): { tools: ResponsesTool[]; execute: Record<ToolName, RunTool> };
export declare function openaiTools(session: SessionSource, api: "chat"): { tools: ChatTool[]; execute: Record<ToolName, RunTool> };

/** A tool for `runTools`. */
export interface RunnableChatTool {
  type: "function";
  function: {
    name: ToolName;
    description: string;
    parameters: ToolParameters;
    /** Parses the JSON arguments. */
    parse: (input: string) => object;
    /** Runs it. */
    function: RunTool;
  };
}

/** For `tools` of `client.chat.completions.runTools`. */
export declare function openaiRunnableTools(session: SessionSource): RunnableChatTool[];

/** A tool for Anthropic's tool runner. */
export interface AnthropicTool {
  name: ToolName;
  /** The description for the model. */
  description: string;
  input_schema: ToolParameters;
  /** Returns the arguments unchanged, because the engine checks them. */
  parse: (input: unknown) => object;
  /** Runs it. */
  run: RunTool;
}

/** For `tools` of `client.beta.messages.toolRunner`. */
export declare function anthropicTools(session: SessionSource): AnthropicTool[];

/** A tool for an `Agent` of `@openai/agents`. */
export interface AgentsTool {
  type: "function";
  name: ToolName;
  /** The description for the model. */
  description: string;
  parameters: { type: "object"; properties: { [name: string]: { [key: string]: unknown } }; required: string[]; additionalProperties: true };
  strict: false;
  /** Always false. */
  needsApproval: () => Promise<boolean>;
  /** Always true. */
  isEnabled: () => Promise<boolean>;
  /** Runs it. `input`: JSON text. */
  invoke: (context: unknown, input: string) => Promise<string>;
}

/** For `tools` of an `Agent` of `@openai/agents`. */
export declare function openaiAgentsTools(session: SessionSource): AgentsTool[];

/** What is used of an `McpServer`. */
export interface McpServerLike {
  /** Registers a tool. */
  registerTool(name: string, config: { description: string }, run: (args: unknown) => Promise<{ content: { type: "text"; text: string }[]; isError: boolean }>): unknown;
}

/**
 * Registers the three tools with an `McpServer` of `@modelcontextprotocol/server` 2. `npx contextfold mcp` runs such a server for a
 * saved session.
 */
export declare function registerMcpTools(server: McpServerLike, session: SessionSource): void;
