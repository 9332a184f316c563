import type { Content, Tool } from "@google/genai";
export declare const contents: Content[];
export declare const tools: Tool[];
