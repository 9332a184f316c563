// Compiled, not run: a session as a TypeScript user writes it, and what must be refused.

import { ContextError, Session, compactMessages } from "contextfold";
import type { AgentLoop, EncodingName, ErrorCode, Event, EventName, FoldInfo, Item, ItemType, Message, Plan, Prepared, Report, SessionOptions, Summarize, SummaryRequest, TokenUsage, ToolOutputCache, ToolOutputRef, ViewOf } from "contextfold";
import type { Equal, Expect } from "./support.js";

declare const signal: AbortSignal;

// --- options

const summarize: Summarize = async (request, { signal }) => {
  const body: object = request.as("openai-responses");
  // @ts-expect-error no such format
  request.as("openai");
  const fired: boolean | undefined = signal?.aborted;
  return { text: JSON.stringify(body) + String(fired), usage: { anything: 1 }, finish_reason: "stop" };
};
// A summariser may pass its own options on to another one.
const wrapped: Summarize = async (request, { signal }) => summarize(request, { signal });
const sync: Summarize = () => "text";
// @ts-expect-error a number is not a summary
const wrong: Summarize = () => 5;
// @ts-expect-error text is required
const textless: Summarize = () => ({ usage: {} });

const all: SessionOptions = {
  model: "gpt-5",
  contextWindow: 100_000,
  reservedOutputTokens: 1_000,
  safetyMargin: 0.1,
  models: { mine: { max_input_tokens: 5 } },
  tokenizer: (text: string) => text.length,
  ladder: "spec",
  summarize,
  compaction: {
    enabled: true,
    auto: true,
    thresholdRatio: 0.8,
    model: null,
    summaryPrompt: "p",
    summaryDirectives: ["d"],
    retainPrompt: null,
    retainDirectives: [],
    retainLastTurns: 1,
    style: "transcript",
    summarizerWindow: 1,
    maxAttempts: 1,
    onFailure: "extractive",
    lowRatio: 0.5,
    summaryRole: "user",
    background: { atRatio: 0.6 },
  },
  toolOutputCache: { enabled: true, contextBudgetTokens: null, maxMessageBytes: 64, maxLineLength: 1 },
};
new Session();
new Session({});
const session = new Session(all);
// --- a plan

const plan: Plan = session.plan({ ifDue: true, fill: false, instructions: "Keep the names." });
const lists: string[] = [...plan.folded, ...plan.kept, ...plan.trimmed];
const wouldBeAsked: SummaryRequest | null = plan.request;
const applied: Promise<Report> = plan.apply({ keep: lists, fold: [], signal });
const flushed: Promise<void> = session.flush();
// @ts-expect-error ids, not messages
plan.apply({ keep: [{ id: "m1" }] });

// --- refused

// @ts-expect-error unknown key
new Session({ contextwindow: 5 });
// @ts-expect-error wrong type
new Session({ contextWindow: "5" });
// @ts-expect-error no such preset
new Session({ ladder: "nothing" });
// @ts-expect-error no such estimate
new Session({ tokenizer: "words" });
// @ts-expect-error the tokenizer must return a number
new Session({ tokenizer: (text: string) => text });
// @ts-expect-error unknown nested key
new Session({ compaction: { treshold: 1 } });
// @ts-expect-error only model and retainPrompt may be null
new Session({ compaction: { summaryPrompt: null } });
// @ts-expect-error not a style
new Session({ compaction: { style: "markdown" } });

// --- in

const ids: string[] = session.push({ role: "user", content: "hi" });
session.push([{ role: "assistant", content: null, tool_calls: [] }]);
session.pushFrom("openai-responses", { anything: true });
// @ts-expect-error no such format
session.pushFrom("cohere", []);
// @ts-expect-error a message is an object
session.push("hi");
session.setHeader("text");
session.setHeader([{ role: "system", content: "text" }]);
session.setTools("anthropic", [{}]);
const usage: TokenUsage = session.recordUsage({ any: "shape" });
const loop: AgentLoop = session.loop();
const seven: Promise<number> = loop.modelCall(() => 7);
const text: Promise<string> = loop.finalAnswer(async () => "x");
// @ts-expect-error run takes a function
loop.toolExecution(7);

// --- state

type State = [
  Expect<Equal<typeof session.tokens, number>>,
  Expect<Equal<typeof session.window, number | null>>,
  Expect<Equal<typeof session.limit, number | null>>,
  Expect<Equal<typeof session.threshold, number | null>>,
  Expect<Equal<typeof session.report, Report | null>>,
  Expect<Equal<typeof session.toolOutputs, ToolOutputCache>>,
  Expect<Equal<ReturnType<Session["items"]>, Item[]>>,
  Expect<Equal<ReturnType<Session["folds"]>, FoldInfo[]>>,
  Expect<Equal<ReturnType<Session["shouldCompact"]>, boolean>>,
  Expect<Equal<Awaited<ReturnType<Session["compact"]>>, Report>>,
  Expect<Equal<Awaited<ReturnType<Session["checkAndCompact"]>>, Report | null>>,
  Expect<Equal<Awaited<ReturnType<Session["afterModelCall"]>>, Report | null>>,
  Expect<Equal<Awaited<ReturnType<Session["prepare"]>>, Prepared>>,
  Expect<Equal<ContextError["report"], Report | undefined>>,
  Expect<Equal<Item["item_type"], ItemType>>,
  Expect<Equal<Report["window"], number | null>>,
  Expect<Equal<Report["limit"], number | null>>,
  Expect<Equal<Report["threshold"], number | null>>,
  Expect<Equal<Report["target"], number | null>>,
  Expect<Equal<Report["counter"]["method"], "estimate" | "bytes/4" | "callback" | EncodingName | (string & {})>>,
  Expect<Equal<Report["budgets"][string], number>>,
];
// @ts-expect-error read only
session.tokens = 5;
new Session({ ladder: [{ pass: "selective", rules: { TOOL_RESULT: { strategy: "TRUNCATE" } } }] });
// @ts-expect-error read only
session.messages = [];

// --- decide

session.compact({ signal, instructions: "x" });
session.prepare({ signal });
// @ts-expect-error no such option
session.compact({ abort: signal });
// @ts-expect-error a controller is not a signal
session.prepare({ signal: new AbortController() });
const prepared: Promise<Prepared> = compactMessages([{ role: "user", content: "x" }], { ...all, signal });

// --- out

type Views = [
  Expect<Equal<ViewOf<"openai-responses">, { instructions?: string; input: object[] }>>,
  Expect<Equal<ViewOf<"openai-chat">, object[]>>,
  Expect<Equal<ViewOf<"messages">, ReturnType<Session["lower"]>>>,
];
const input: object[] = session.view("openai-responses").input;
const role: "system" | "developer" | "user" | "assistant" | "tool" | undefined = session.view("messages")[0]?.role;
// @ts-expect-error Chat has a list
session.view("openai-chat").input;
// @ts-expect-error no such format
session.view("text");

// --- events

const off: () => void = session.on("folded", (event: Event) => {
  const name: EventName = event.event;
  const items: string[] = event.items;
  console.log(name, items, event.detail, event.tokens);
});
session.on("*", () => {});
// @ts-expect-error no such event
session.on("message", () => {});
// @ts-expect-error a listener is a function
session.on("*", 5);

session.pin("m1");
session.unpin("m1");
// @ts-expect-error ids are text
session.pin(1);
session.free();
session[Symbol.dispose]();

// --- errors

try {
  await session.prepare();
} catch (error) {
  if (ContextError.isInstance(error)) {
    type Code = Expect<Equal<typeof error.code, ErrorCode>>;
    const cause: unknown = error.cause;
    console.log(cause, null as unknown as Code);
  }
}

export type { State, Views };
console.log(sync, wrong, textless, ids, usage, seven, text, prepared, input, role, off, null as unknown as ToolOutputRef);

// --- a view's notes

session.view("anthropic", { onNote: ({ id, what }) => console.log(id.length, what.length) });
// @ts-expect-error no such option
session.view("anthropic", { notes: true });

// Every option may be given as undefined, as by a caller who passes on options of its own.
const none = undefined;
new Session({ toolOutputCache: { enabled: none, contextBudgetTokens: none, maxMessageBytes: none, maxLineLength: none, tools: none }, compaction: { enabled: none }, media: { maxImages: none } });
session.search("x", { query: none, regex: none, ignore_case: none, max_hits: none });
session.searchAsync("x", { max_hits: none });
session.plan({ ifDue: none, fill: none, instructions: none });
session.fork("msg_1", { lane: none, contextWindow: none });
session.toolOutputs.read({ ref_id: "out_1", offset: none, limit: none });
session.toolOutputs.grep({ ref_id: "out_1", pattern: "x", context: none, max_matches: none, ignore_case: none });
session.toolOutputs.put("x", { id: none });
session.toolOutputs.collectGarbage({ dryRun: none });
// Lists that are only read may be readonly.
const readonlyMessages: readonly Message[] = [{ role: "user", content: "hi" }];
session.push(readonlyMessages);
session.setHeader(readonlyMessages);
session.setContext({ injections: readonlyMessages });
compactMessages(readonlyMessages, { contextWindow: 9000, signal: none });
