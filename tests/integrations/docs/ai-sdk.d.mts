import type { LanguageModel, ToolSet } from "ai";
export declare const model: Exclude<LanguageModel, string> & { specificationVersion: "v4" };
export declare const smallModel: typeof model;
export declare const tools: ToolSet;
