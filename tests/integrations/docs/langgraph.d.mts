import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredTool } from "@langchain/core/tools";
export declare const model: BaseChatModel;
export declare const chatModel: BaseChatModel;
export declare const tools: StructuredTool[];
