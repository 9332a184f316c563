// What a session's requests cost if the provider has a prompt cache: call by call, how much of a request is the same as the beginning of
// the last one, byte for byte, and what the rest and the summaries cost. In token-equivalents: one input token at its list
// price is 1. $CONTEXTFOLD_BEFORE: a checkout whose built package gets its own row.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as langchain from "@langchain/core/messages";
import { findCutPoint } from "@mariozechner/pi-coding-agent";
import { TokenLimiter } from "@mastra/core/processors";
import { pruneMessages } from "ai";
import * as contextfold from "contextfold";
import { ClearToolUsesEdit, contextEditingMiddleware } from "langchain";
import { random } from "../tokens/generate.mjs";
import { SUMMARY, agent, asLangChain, asModelMessages, asPiEntries, asPrompt } from "./histories.mjs";

/** Prices per token, relative to input: reading from the cache, writing to it, and output. */
const MODELS = {
  "claude-sonnet-4-5": { read: 0.1, write: 1.25, output: 5 },
  "gpt-5": { read: 0.1, write: 1, output: 8 },
};
/** Anthropic and OpenAI cache nothing shorter than this many tokens. */
const LEAST = 1024;

const { convert } = contextfold;
const encoding = await contextfold.loadEncoding("o200k_base");
const data = process.env.CONTEXTFOLD_DATA ?? fileURLToPath(new URL("../../../shared/data", import.meta.url));
const sample = fileURLToPath(new URL("../../examples/transcript.responses.json", import.meta.url));

/** The sessions, each with its windows: { name, messages, windows }. */
export function sessions() {
  const out = [
    { name: "120 reads", messages: reads(120), windows: [200_000, 1_000_000] },
    { name: "400 reads", messages: reads(400), windows: [200_000, 1_000_000] },
    { name: "the sample", messages: convert("openai-responses", "messages", JSON.parse(readFileSync(sample, "utf8"))), windows: [32_000, 64_000] },
  ];
  const folder = join(data, "long-sessions", "badlogic+pi-mono");
  if (!existsSync(folder)) console.log(`No recorded sessions at ${data}: CONTEXTFOLD_DATA says where they are.\n`);
  else
    for (const file of readdirSync(folder).sort().filter((name) => !/-clean\.|\.compaction\./.test(name))) {
      const messages = convert("anthropic", "messages", JSON.parse(readFileSync(join(folder, file), "utf8")));
      out.push({ name: `recorded, ${file.replace(/\..*/, "")}`, messages, windows: [32_000, 64_000, 200_000] });
    }
  return out;
}

/** One turn of an agent that reads a lot: `calls` outputs of 4 to 28 kB. */
function reads(calls) {
  const next = random(11);
  const source = agent(4_000, 12).filter((m) => m.role === "tool").map((m) => m.content).join("\n");
  const list = [{ role: "system", content: "You are a careful engineer. ".repeat(100) }, { role: "user", content: "Find out why the nightly build is slow, and mend it." }];
  for (let n = 0; n < calls; n++) {
    const id = `call_${n}`;
    const length = 4_000 + Math.floor(next() * 24_000);
    const from = Math.floor(next() * (source.length - length));
    list.push(
      { role: "assistant", content: `I look at part ${n}.`, tool_calls: [{ id, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path: `src/part_${n}.rs` }) } }] },
      { role: "tool", tool_call_id: id, content: `// src/part_${n}.rs\n${source.slice(from, from + length)}` },
    );
  }
  return [...list, { role: "assistant", content: "It is mended." }];
}

/** Loads the built package of a checkout, in the shape that `ours` takes. */
async function builtIn(checkout) {
  const built = await import(pathToFileURL(resolve(checkout, "pkg/node.bundle.js")).href);
  return { built, tokenizer: await built.loadEncoding("o200k_base") };
}

/** A library over a whole session: `step(more)` takes new messages and returns what is sent: { messages, asked }. */
const ours = (name, options = {}, { built: { Session, toolDefinitions }, tokenizer } = { built: contextfold, tokenizer: encoding }) => ({
  name,
  begin(window) {
    let asked = [];
    const summarize = async (request) => {
      asked.push(request.as("openai-chat").messages);
      return { text: SUMMARY };
    };
    const session = new Session({ contextWindow: window, tokenizer, safetyMargin: 0, summarize, ...options });
    session.setTools("openai-chat", toolDefinitions("openai-chat"));
    return {
      async step(more) {
        asked = [];
        session.push(more);
        await session.prepare();
        return { messages: session.view("openai-chat"), asked };
      },
      end: () => session.free(),
    };
  },
});

const over = (name, view) => ({
  name,
  begin(window) {
    const all = [];
    const state = {};
    return {
      async step(more) {
        all.push(...more);
        return { asked: [], ...(await view(all, window, state)) };
      },
      end() {},
    };
  },
});

const UNBOUND = { contextBudgetTokens: 1e9, maxMessageBytes: 1e9, maxLineLength: 1e9 };
const libraries = [
  ours("contextfold"),
  ...(process.env.CONTEXTFOLD_BEFORE ? [ours("… before", {}, await builtIn(process.env.CONTEXTFOLD_BEFORE))] : []),
  ours("… outputs left alone", { ladder: ["ephemeral", "summarize"].map((pass) => ({ pass })), toolOutputCache: UNBOUND }),
  ours("… outputs trimmed to their budget at each call", { ladder: [{ pass: "ephemeral" }, { pass: "trim_tool_outputs", lowRatio: 1, waitForFold: false }, { pass: "dedupe_reads" }, { pass: "summarize" }] }),
  ours("… trim, dedupe, summarize", { ladder: ["ephemeral", "trim_tool_outputs", "dedupe_reads", "summarize"].map((pass) => ({ pass })) }),
  ...["spec", "rolling", "selective"].map((ladder) => ours(`… ${ladder}`, { ladder })),
  over("ai pruneMessages, calls of the last 20 messages", (list) => ({ messages: pruneMessages({ messages: asModelMessages(list.map(texts)), toolCalls: "before-last-20-messages" }) })),
  over("langchain ClearToolUsesEdit, its defaults", async (list) => {
    const middleware = contextEditingMiddleware({ edits: [new ClearToolUsesEdit()] });
    const request = { messages: asLangChain(list.map(texts), langchain), state: {}, runtime: { context: {} }, model: {}, tools: [] };
    return middleware.wrapModelCall(request, ({ messages }) => ({ messages: messages.map((m) => m.toDict()) }));
  }),
  over("pi, its defaults (keeps 20,000 tokens)", piCut),
  over("mastra TokenLimiter, the window less 16,384", async (list, window) => {
    const prompt = asPrompt(list.map(texts));
    const limited = await new TokenLimiter(window - ROOM).processLLMRequest({ prompt });
    return { messages: limited?.prompt ?? prompt };
  }),
];

/** Messages with text only, for peers whose messages the converters of the histories write. */
const texts = (m) => ({ ...m, content: typeof m.content === "string" ? m.content : (m.content ?? []).map((p) => p.text ?? "").join("") });

/** What pi keeps free for an answer. Mastra is configured to do the same. */
const ROOM = 16_384;

/** As pi's agent does it: at window − 16,384 tokens, everything but the newest 20,000 becomes a summary. */
function piCut(all, window, state) {
  state.from ??= 0;
  const view = () => [...(state.from ? [{ role: "user", content: SUMMARY }] : []), ...all.slice(state.from)];
  const asked = [];
  if (sum(view()) > window - ROOM) {
    const entries = asPiEntries(all.map(texts));
    const cut = findCutPoint(entries, state.from, entries.length, 20_000);
    asked.push(all.slice(state.from, cut.firstKeptEntryIndex));
    state.from = cut.firstKeptEntryIndex;
  }
  return { messages: view(), asked };
}

const counts = new Map();
const written = new WeakMap();
/** A message as JSON. Also counts its tokens. */
function bytes(message) {
  const known = written.get(message);
  if (known) return known;
  const text = JSON.stringify(message);
  if (!counts.has(text)) counts.set(text, encoding.count(text));
  written.set(message, text);
  return text;
}
const sum = (messages) => messages.reduce((n, m) => n + counts.get(bytes(m)), 0);

/** The number of entries at the beginning that two requests have in common. */
function shared(before, now) {
  let same = 0;
  while (same < before.length && same < now.length && before[same] === now[same]) same++;
  return same;
}

/** Runs one library over one session. Returns what its calls cost. */
async function run(library, messages, window) {
  const at = library.begin(window);
  const bill = { breaks: 0, largest: 0, sent: 0, cached: 0, asked: 0, askedCached: 0, askedBefore: 0, summaries: 0 };
  let from = 0;
  let before = [];
  for (const [n, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const { messages: view, asked } = await at.step(messages.slice(from, n));
    from = n;
    const now = view.map(bytes);
    const same = shared(before, now);
    const tokens = now.map((text) => counts.get(text));
    const sent = tokens.reduce((a, b) => a + b, 0);
    const cached = tokens.slice(0, same).reduce((a, b) => a + b, 0);
    bill.breaks += same < before.length ? 1 : 0;
    bill.largest = Math.max(bill.largest, sent);
    bill.sent += sent;
    bill.cached += cached < LEAST ? 0 : cached;
    // A summary is requested before the call: what its request shares with the last call is in the cache.
    for (const request of asked) {
      bill.summaries++;
      bill.askedCached += sum(request.slice(0, shared(before, request.map(bytes))));
      bill.askedBefore += sum(request.slice(0, Math.min(before.length, request.length - 1)));
      bill.asked += sum(request);
    }
    before = now;
  }
  at.end();
  return bill;
}

/** Prints the table "bill" for all sessions in all windows, or those whose name and window contain `only`; `ours`: without peers and presets. */
export async function bills(table, { only = "", ours = false } = {}) {
  for (const { name, messages, windows } of sessions())
    for (const window of windows.filter((window) => `${name}, ${window / 1000}k`.includes(only))) {
      const rows = [];
      for (const library of libraries.slice(0, ours ? 1 + libraries.findIndex((l) => l.name === "… outputs left alone") : libraries.length)) {
        try {
          const bill = await run(library, messages, window);
          const cost = ({ read, write, output }) => (bill.cached + bill.askedCached) * read + (bill.sent - bill.cached + bill.asked - bill.askedCached) * write + bill.summaries * encoding.count(SUMMARY) * output;
          rows.push([library.name, bill.breaks, bill.largest.toLocaleString("en"), bill.summaries, (bill.cached / bill.sent).toFixed(3), ...[bill.asked, bill.askedBefore].map((all) => (all ? (bill.askedCached / all).toFixed(3) : "–")), million(bill.sent), ...Object.values(MODELS).map((m) => million(cost(m)))]);
        } catch (error) {
          rows.push([library.name, `${error.code ?? error.name}: ${error.message.slice(0, 60)}`, "", "", "", "", "", "", "", ""]);
        }
      }
      const calls = messages.filter((m) => m.role === "assistant").length;
      console.log(`### The bill: ${name}, ${calls} calls, a window of ${window.toLocaleString("en")}: millions of tokens sent; token-equivalents by model\n`);
      table(["", "calls that change what was sent", "the largest call, as JSON", "summaries", "share found in the cache", "the same of summary requests", "… but for what was new", "sent", ...Object.keys(MODELS)], rows);
    }
}

const million = (tokens) => (tokens / 1e6).toFixed(2);
