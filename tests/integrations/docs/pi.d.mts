import type { AgentTool } from "@earendil-works/pi-agent-core";
import type { Model } from "@earendil-works/pi-ai";
import type { CreateAgentSessionOptions } from "@earendil-works/pi-coding-agent";
export declare const model: Model<"openai-completions">;
export declare const getApiKey: () => string;
export declare const tools: AgentTool<any>[];
export declare const settings: CreateAgentSessionOptions & { cwd: string };
