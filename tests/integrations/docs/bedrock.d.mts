import type { Message, Tool } from "@aws-sdk/client-bedrock-runtime";
export declare const messages: Message[];
export declare const tools: Tool[];
