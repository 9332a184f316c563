import type { Session } from "contextfold";

/** The names of the tools. */
export type ToolName = "tool_output_cache" | "tool_output_cache_grep" | "search_history";

/** A session; or what gives it, where it is made later: `null` as long as there is none, which the model is told. */
export type SessionSource = Session | (() => Session | null | undefined | Promise<Session | null | undefined>);

/**
 * Runs one of the tools as a model called it, and gives the text that it is answered: `tool_output_cache` reads a stored output by
 * line, `tool_output_cache_grep` searches one, `search_history` finds a text in all that was ever said, and in the tool outputs that live in the
 * session's store (the 200 newest, until there are hits enough). A ref that there is not
 * and a pattern that does not parse are answered as errors for the model to see, and so are arguments that are no JSON object.
 *
 * @param name A `ToolName`, as the model called it.
 * @param args The arguments: an object, or the JSON text that OpenAI's APIs give (`call.function.arguments`).
 * @throws {ContextError} `INVALID_ARGUMENT` for a tool that there is not.
 */
export declare function runTool(session: SessionSource, name: ToolName | (string & {}), args: object | string): Promise<string>;

/** JSON Schema of what a tool takes. */
export type ToolParameters = { type: "object"; properties: { [name: string]: any }; [key: string]: unknown };

/** Runs a tool with the arguments that the model gave, and gives the text that it is answered. */
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
  /** Gives the arguments as they are: the engine looks at them. */
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
 * Registers the three tools at an `McpServer` of `@modelcontextprotocol/server` 2. `npx contextfold mcp` is a server that does nothing
 * else, for a session that was saved.
 */
export declare function registerMcpTools(server: { registerTool(name: string, config: any, run: any): unknown }, session: SessionSource): void;
