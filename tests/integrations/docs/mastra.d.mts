import type { AgentConfig, ToolsInput } from "@mastra/core/agent";
import type { MastraMemory } from "@mastra/core/memory";
export declare const model: AgentConfig["model"];
export declare const tools: ToolsInput;
export declare const memory: MastraMemory;
