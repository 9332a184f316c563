import type { Session } from "contextfold";

/** The names of the tools. */
export type ToolName = "tool_output_cache" | "tool_output_cache_grep" | "search_history";

/** A session, or a function that returns it, if it is made later. As long as it returns `null`, the model is told that there is none. */
export type SessionSource = Session | (() => Session | null | undefined | Promise<Session | null | undefined>);

/**
 * Runs one of the tools as a model called it, and returns the text of its output. `tool_output_cache` reads a stored output by
 * line, `tool_output_cache_grep` searches one, `search_history` searches the whole history and the tool outputs in the session's
 * store (the 200 newest, until there are enough hits). For an unknown ref, a pattern that does not parse or arguments that are no
 * JSON object, the text is an error for the model.
 *
 * @param name A `ToolName`, as the model called it.
 * @param args The arguments: an object, or the JSON text that OpenAI's APIs give (`call.function.arguments`).
 * @throws {ContextError} `INVALID_ARGUMENT` for an unknown tool.
 */
export declare function runTool(session: SessionSource, name: ToolName | (string & {}), args: object | string): Promise<string>;

/** JSON Schema of what a tool takes. */
export type ToolParameters = { type: "object"; properties: { [name: string]: any }; [key: string]: unknown };

/** Runs a tool with the model's arguments, and returns the text of its output. */
export type RunTool = (args: any) => Promise<string>;

/** A tool as `ai` takes it. */
export interface AiSdkTool {
  /** What the model reads of it. */
  description: string;
  /** As `jsonSchema` of `ai` makes it. */
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

/** A tool as the Responses API takes it. */
export interface ResponsesTool {
  type: "function";
  name: ToolName;
  /** What the model reads of it. */
  description: string;
  parameters: ToolParameters;
  strict: false;
}

/** A tool as Chat Completions takes it. */
export interface ChatTool {
  type: "function";
  function: { name: ToolName; description: string; parameters: ToolParameters };
}

/** The definitions for a request of OpenAI's, and what runs them: what `execute` of `contextfold/openai` takes. */
export declare function openaiTools(session: SessionSource, api?: "responses"): { tools: ResponsesTool[]; execute: Record<ToolName, RunTool> };
export declare function openaiTools(session: SessionSource, api: "chat"): { tools: ChatTool[]; execute: Record<ToolName, RunTool> };

/** A tool as `runTools` takes it. */
export interface RunnableChatTool {
  type: "function";
  function: {
    name: ToolName;
    description: string;
    parameters: ToolParameters;
    /** Reads the arguments, which are JSON. */
    parse: (input: string) => object;
    /** Runs it. */
    function: RunTool;
  };
}

/** For `tools` of `client.chat.completions.runTools`. */
export declare function openaiRunnableTools(session: SessionSource): RunnableChatTool[];

/** A tool as Anthropic's tool runner takes it. */
export interface AnthropicTool {
  name: ToolName;
  /** What the model reads of it. */
  description: string;
  input_schema: ToolParameters;
  /** Returns the arguments as they are: the engine checks them. */
  parse: (input: unknown) => object;
  /** Runs it. */
  run: RunTool;
}

/** For `tools` of `client.beta.messages.toolRunner`. */
export declare function anthropicTools(session: SessionSource): AnthropicTool[];

/** A tool as an `Agent` takes it. */
export interface AgentsTool {
  type: "function";
  name: ToolName;
  /** What the model reads of it. */
  description: string;
  parameters: { type: "object"; properties: { [name: string]: any }; required: string[]; additionalProperties: true };
  strict: false;
  /** No. */
  needsApproval: () => Promise<boolean>;
  /** Yes. */
  isEnabled: () => Promise<boolean>;
  /** Runs it: `input` is JSON. */
  invoke: (context: any, input: string) => Promise<string>;
}

/** For `tools` of an `Agent` of `@openai/agents`. */
export declare function openaiAgentsTools(session: SessionSource): AgentsTool[];

/**
 * Registers the three tools at an `McpServer` of `@modelcontextprotocol/server` 2. `npx contextfold mcp` is such a server for a
 * saved session.
 */
export declare function registerMcpTools(server: { registerTool(name: string, config: any, run: any): unknown }, session: SessionSource): void;
