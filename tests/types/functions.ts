// Compiled, not run: the functions, the tool output cache and OpenAI's history.

import { OpenAIHistoryAdapter, Session, ToolOutputCache, compressJson, contextLimit, countTokens, extractiveSummarize, shouldCompact, tokenUsage, toolDefinitions, truncateHeadTail, version } from "contextfold";
import type { CompactionConfig, Converted, Message, Part, Summarize, TokenUsage, ToolOutputCacheConfig, ToolOutputRef } from "contextfold";
import type { Equal, Expect } from "./support.js";

type Signatures = [
  Expect<Equal<ReturnType<typeof countTokens>, number>>,
  Expect<Equal<ReturnType<typeof tokenUsage>, TokenUsage>>,
  Expect<Equal<ReturnType<typeof contextLimit>, number>>,
  Expect<Equal<ReturnType<typeof shouldCompact>, boolean>>,
  Expect<Equal<ReturnType<typeof toolDefinitions>, object[]>>,
  Expect<Equal<ReturnType<typeof version>, string>>,
  Expect<Equal<ReturnType<typeof compressJson>, string>>,
  Expect<Equal<ReturnType<typeof truncateHeadTail>, string>>,
  Expect<Equal<ReturnType<typeof extractiveSummarize>, Summarize>>,
  Expect<Equal<ReturnType<ToolOutputCache["get"]>, Promise<string | Part[]>>>,
  Expect<Equal<ReturnType<ToolOutputCache["read"]>, Promise<string>>>,
  Expect<Equal<ReturnType<ToolOutputCache["grep"]>, Promise<string>>>,
  Expect<Equal<ReturnType<ToolOutputCache["refs"]>, ToolOutputRef[]>>,
  Expect<Equal<ReturnType<OpenAIHistoryAdapter["rebuild"]>, object[]>>,
  Expect<Equal<Converted<"messages">, Message[]>>,
  Expect<Equal<Converted<"openai-chat">, object[]>>,
  Expect<Equal<Converted<"anthropic">, object[] | { system: string | object[]; messages: object[] }>>,
  Expect<Equal<Converted<"gemini">, object[] | { systemInstruction: object; contents: object[] }>>,
  Expect<Equal<Converted<"bedrock-converse">, object[] | { system: object[]; messages: object[] }>>,
];

const usage: TokenUsage = { input_tokens: 1, output_tokens: 1, cache_creation_tokens: 0, cache_read_tokens: 0, total_tokens: 2 };
// @ts-expect-error the total is required
const partial: TokenUsage = { input_tokens: 1, output_tokens: 1, cache_creation_tokens: 0, cache_read_tokens: 0 };
countTokens("x");
countTokens([{ role: "user", content: "x" }], "bytes/4");
countTokens({ model: "m", input: [] }, (text) => text.length);
// @ts-expect-error no such estimate
countTokens("x", "words");
shouldCompact(usage, 100);
shouldCompact(usage, 100, { thresholdRatio: 0.5 });
// @ts-expect-error a limit is a number
shouldCompact(usage, "100");
// @ts-expect-error unknown key
shouldCompact(usage, 100, { ratio: 0.5 });
contextLimit("gpt-5", { mine: {} });
// @ts-expect-error no such format
toolDefinitions("openai");
compressJson("{}");
compressJson("{}", { maxTokens: 5 });
// @ts-expect-error unknown key
compressJson("{}", { max_tokens: 5 });
truncateHeadTail("x", { max: 5, head: 2, tail: 2 });
// @ts-expect-error JSON must be passed as text
compressJson({});
// @ts-expect-error a number is expected
truncateHeadTail("x", { max: "5" });
extractiveSummarize({ maxTokens: 5 });
// @ts-expect-error unknown key
extractiveSummarize({ max_tokens: 5 });

const none: CompactionConfig = {};
const cacheDefaults: ToolOutputCacheConfig = { contextBudgetTokens: null };
// @ts-expect-error only the budget can be null
const cacheWrong: ToolOutputCacheConfig = { maxLineLength: null };

const outputs = new Session().toolOutputs;
outputs.put("text");
outputs.put(new Uint8Array(1), { id: "mine" });
outputs.put([{ type: "text", text: "x" }]);
outputs.append("id", "chunk");
outputs.read({ ref_id: "id", offset: 0, limit: 1 });
outputs.grep({ ref_id: "id", pattern: "x", context: 1, max_matches: 1, ignore_case: true });
outputs.collectGarbage({ dryRun: true });
// @ts-expect-error a pattern is required
outputs.grep({ ref_id: "id" });
// @ts-expect-error a number is not content
outputs.put(5);
// @ts-expect-error only a session creates it
new ToolOutputCache();

const adapter = new OpenAIHistoryAdapter([{ role: "user", content: "x" }]);
adapter.append({ type: "reasoning" });
adapter.append([{}]);
// @ts-expect-error an item is an object
adapter.append("x");
// @ts-expect-error the list is changed only by append and rebuild
adapter.inputItems = [];

export type { Signatures };
console.log(partial, none, cacheDefaults, cacheWrong);
