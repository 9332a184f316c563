// The public names. A test compares them with the generated types, so that none is forgotten and none slips out.

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

// A function that returns a promise; methods are watched already (see guard.js).
export const compactMessages = promising(glue.compactMessages);

// What few programs use comes when it is used.
export const loadTokenizer = async (...args) => (await import("./tokenizer.js")).loadTokenizer(...args);
export const packTokenizer = async (...args) => (await import("./tokenizer.js")).packTokenizer(...args);
