import type { Agent, Tool } from "@openai/agents";
export declare const agent: Agent;
export declare const tools: Tool[];
