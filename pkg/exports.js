// The public names. A test compares them with the generated types, so that none is missing and none is exported by accident.

import "./load.js";
import { promising } from "./guard.js";
import * as glue from "./wasm/contextfold_bg.js";

export { ContextError } from "./error.js";
export { countTokens, loadEncoding } from "./encoding.js";
export { presets } from "./presets.js";
export {
  ContextGraph,
  OpenAIHistoryAdapter,
  Recording,
  Replay,
  Session,
  ToolOutputCache,
  builtInPrices,
  check,
  compressJson,
  contextLimit,
  convert,
  encodingForModel,
  extractiveSummarize,
  readsSame,
  repair,
  shouldCompact,
  simulate,
  storedOutputs,
  tokenUsage,
  toolDefinitions,
  truncateHeadTail,
  version,
} from "./wasm/contextfold_bg.js";

// This function returns a promise, so it is wrapped. Methods are wrapped in guard.js.
export const compactMessages = promising(glue.compactMessages);

// Loaded on first use, because few programs need it.
export const loadTokenizer = async (...args) => (await import("./tokenizer.js")).loadTokenizer(...args);
export const packTokenizer = async (...args) => (await import("./tokenizer.js")).packTokenizer(...args);
