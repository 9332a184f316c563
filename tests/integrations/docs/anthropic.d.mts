import type Anthropic from "@anthropic-ai/sdk";
type Runner = Parameters<Anthropic["beta"]["messages"]["toolRunner"]>[0];
export declare const messages: Anthropic.MessageParam[];
export declare const tools: Anthropic.Tool[];
export declare const client: Anthropic;
export declare const runnableTools: Runner["tools"];
