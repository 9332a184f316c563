import type Anthropic from "@anthropic-ai/sdk";

export declare const messages: Anthropic.MessageParam[];
export declare const tools: Anthropic.Tool[];
