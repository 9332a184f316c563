import type OpenAI from "openai";
export declare const client: OpenAI;
export declare const runBuild: (args: { n: number }) => Promise<string>;
export declare const tools: OpenAI.Responses.Tool[];
export declare const runnableTools: Parameters<OpenAI["chat"]["completions"]["runTools"]>[0]["tools"];
