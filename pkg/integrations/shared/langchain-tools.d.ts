import type { DynamicStructuredTool } from "@langchain/core/tools";
import type { SessionSource } from "../tools.js";

/** The three tools by which a model reads what its view leaves out, as LangChain tools for an agent or a graph. See `contextfold/tools`. */
export declare function tools(session: SessionSource): DynamicStructuredTool[];
