// What the AI SDK's own providers make of our views: each resulting request follows the rules of its API.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, check, presets } from "contextfold";
import { middleware } from "contextfold/ai-sdk";
import { missing, recordedRequests } from "../support/data.mjs";
import { words } from "../support/session.mjs";
import { providers } from "./support/ai-sdk-providers.mjs";

if (missing) console.log(`recorded data: ${missing}; skipped`);
globalThis.AI_SDK_LOG_WARNINGS = false; // a provider logs what it leaves out, such as another provider's thinking

/** The violations in a request, by the rules of its API. */
function brokenBy(format, body) {
  if (format === "google") return brokenByGemini(body);
  return check(format, body).filter(({ severity }) => severity === "error").map(({ rule, index, message }) => `${rule} at ${index}: ${message}`);
}

/**
 * Gemini's rules: the user starts; a call comes right after the user or an output; the content after a call has as many outputs, of
 * the same functions; nothing is empty.
 * Source: ai.google.dev/gemini-api/docs/function-calling, and the 400s that say "Please ensure that function call turn comes
 * immediately after a user turn or after a function response turn" and "the number of function response parts is equal to the number
 * of function call parts of the function call turn".
 */
function brokenByGemini({ contents }) {
  const broken = [];
  const named = (content, key) => (content?.parts ?? []).flatMap((part) => (part[key] ? [part[key].name] : [])).sort().join(" ");
  contents.forEach((content, at) => {
    const before = contents[at - 1];
    if (!["user", "model"].includes(content.role)) broken.push(`role ${content.role} at ${at}`);
    if (at === 0 && content.role !== "user") broken.push("the model begins");
    if (before?.role === "model" && named(content, "functionCall")) broken.push(`a call at ${at} right after the model`);
    if (content.parts.length === 0 || content.parts.some((part) => part.text === "" && !part.thoughtSignature)) broken.push(`an empty content or text at ${at}`);
    if (content.role === "model" && named(content, "functionCall") !== named(contents[at + 1], "functionResponse")) broken.push(`calls at ${at} and the outputs after them differ`);
    if (named(content, "functionResponse") && named(content, "functionResponse") !== named(before, "functionCall")) broken.push(`outputs at ${at} without their calls`);
  });
  return broken;
}

/** Sends a view to every provider; returns all violations. */
async function sent(view, where, more) {
  const wrong = [];
  for (const { name, format, bodyOf } of providers) {
    // Gemini's provider accepts system messages only at the beginning, and says so itself.
    if (format === "google" && view.slice(view.findIndex(({ role }) => role !== "system")).some(({ role }) => role === "system")) continue;
    try {
      const body = await bodyOf(view, more);
      wrong.push(...brokenBy(format, body).map((problem) => `${where}, ${name}: ${problem}`));
    } catch (error) {
      wrong.push(`${where}, ${name}: ${error.name} ${error.message}`);
    }
  }
  return wrong;
}

/** The view of a history under a window of `share` of its size. If the window is too small, there is still a view. */
async function viewOf(format, list, { share, ladder, more = {} }) {
  const session = new Session({ contextWindow: Math.max(400, Math.round((JSON.stringify(list).length / 4) * share)), compaction: { onFailure: "extractive" }, ...(ladder && { ladder }), ...more });
  session.pushFrom(format, list);
  try {
    await session.prepare();
  } catch (error) {
    if (!["CONTEXT_WINDOW_EXCEEDED", "BUDGET_IMPOSSIBLE"].includes(error.code)) throw error;
  }
  const view = session.view("ai-sdk");
  const folded = session.folds().length > 0;
  session.free();
  return { view, folded };
}

const APPROVALS = "approvals: given, refused, and never answered";
const IMAGE = "iVBORw0KGgo=";
const TURNS = 14;
const turns = (turn) => Array.from({ length: TURNS }, (_, n) => turn(n)).flat();
const ask = (n) => `Question ${n}: keep /srv/app/${n}.txt. ${words(30, n)}`;
const call = (id, name = "read") => ({ id, type: "function", function: { name, arguments: JSON.stringify({ path: `/srv/${id}` }) } });
const use = (id) => ({ type: "tool_use", id, name: "read", input: { path: `/srv/${id}` } });
const result = (id, content = words(60)) => ({ type: "tool_result", tool_use_id: id, content });

/** Histories in their own formats, each with something that a provider of the AI SDK passes on as it is. */
const HISTORIES = {
  "tool calls, one and several at once": ["openai-chat", turns((n) => [
    { role: "user", content: ask(n) },
    { role: "assistant", content: null, tool_calls: [call(`a${n}`)] },
    { role: "tool", tool_call_id: `a${n}`, content: words(80, n) },
    { role: "assistant", content: "Two more.", tool_calls: [call(`b${n}`), call(`c${n}`, "list")] },
    { role: "tool", tool_call_id: `c${n}`, content: words(80, n) },
    { role: "tool", tool_call_id: `b${n}`, content: "" },
    { role: "assistant", content: `Answer ${n}.` },
  ])],
  "texts without a letter": ["openai-chat", turns((n) => [
    { role: "user", content: ask(n) },
    { role: "assistant", content: "" },
    { role: "assistant", content: n % 2 ? "" : null, tool_calls: [call(`a${n}`)] },
    { role: "tool", tool_call_id: `a${n}`, content: words(80, n) },
    { role: "assistant", content: n % 3 ? "  \n" : [{ type: "text", text: "" }] },
    { role: "user", content: [{ type: "text", text: "" }, { type: "text", text: `and ${n}?` }] },
    { role: "assistant", content: `Answer ${n}.` },
  ])],
  "neighbours of one role": ["anthropic", turns((n) => [
    { role: "user", content: ask(n) },
    { role: "user", content: `And one more thing, ${n}.` },
    { role: "assistant", content: [use(`a${n}`)] },
    { role: "assistant", content: [use(`b${n}`)] },
    { role: "user", content: [result(`a${n}`)] },
    { role: "user", content: [result(`b${n}`), { type: "text", text: "go on" }] },
    { role: "assistant", content: "First." },
    { role: "assistant", content: `Answer ${n}.` },
  ])],
  "images: the user's, a tool's, by address": ["anthropic", turns((n) => [
    { role: "user", content: [{ type: "text", text: ask(n) }, { type: "image", source: { type: "base64", media_type: "image/png", data: IMAGE } }] },
    { role: "assistant", content: [use(`a${n}`)] },
    { role: "user", content: [result(`a${n}`, [{ type: "text", text: words(60, n) }, { type: "image", source: { type: "base64", media_type: "image/png", data: IMAGE } }])] },
    { role: "assistant", content: `Answer ${n}.` },
    { role: "user", content: [{ type: "image", source: { type: "url", url: "https://example.com/chart.png" } }] },
    { role: "assistant", content: `A chart, ${n}.` },
  ])],
  "images that the assistant made": ["messages", turns((n) => [
    { role: "user", content: ask(n) },
    { role: "assistant", content: [{ type: "image", data: IMAGE, media_type: "image/png" }, { type: "text", text: `Here, ${n}.` }] },
  ])],
  "thinking, in front of calls and of texts": ["anthropic", turns((n) => [
    { role: "user", content: ask(n) },
    { role: "assistant", content: [{ type: "thinking", thinking: words(20, n), signature: `c2ln${n}` }, use(`a${n}`)] },
    { role: "user", content: [result(`a${n}`)] },
    { role: "assistant", content: [{ type: "thinking", thinking: words(20, n), signature: `c2lu${n}` }, { type: "text", text: `Answer ${n}.` }] },
  ])],
  "a call that nobody answered": ["openai-chat", turns((n) => [
    { role: "user", content: ask(n) },
    { role: "assistant", content: null, tool_calls: [call(`a${n}`), call(`b${n}`)] },
    { role: "tool", tool_call_id: `a${n}`, content: words(80, n) },
    ...(n % 4 ? [{ role: "tool", tool_call_id: `b${n}`, content: words(80, n) }] : []),
    { role: "user", content: `Stop that, ${n}.` },
    { role: "assistant", content: `Answer ${n}.` },
  ])],
  [APPROVALS]: ["ai-sdk", turns((n) => [
    { role: "user", content: ask(n) },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: `d${n}`, toolName: "remove", input: { n } }, { type: "tool-approval-request", approvalId: `ap${n}`, toolCallId: `d${n}` }] },
    ...(n % 3 === 2 ? [] : [{ role: "tool", content: [
      { type: "tool-approval-response", approvalId: `ap${n}`, approved: n % 3 === 0 },
      { type: "tool-result", toolCallId: `d${n}`, toolName: "remove", output: n % 3 ? { type: "execution-denied", reason: "no" } : { type: "text", value: words(80, n) } },
    ] }]),
    ...(n % 3 === 2 ? [{ role: "user", content: `Leave it, ${n}.` }] : []),
    { role: "assistant", content: [{ type: "text", text: `Answer ${n}.` }] },
  ])],
};
for (const history of Object.values(HISTORIES)) history[1].push({ role: "user", content: "And now?" });

const LADDERS = [...Object.keys(presets), [{ pass: "drop_old_tool_results", keepSteps: 1 }], [{ pass: "truncate_head_tail", max: 100, head: 20, tail: 20 }], [{ pass: "prune_tool_outputs", protectTurns: 1 }]];

describe("the AI SDK's own providers: a view gives a request that its API accepts", () => {
  for (const [what, [format, list]] of Object.entries(HISTORIES))
    test(what, async () => {
      const seen = new Set();
      const wrong = [];
      let folds = 0;
      for (const ladder of LADDERS)
        for (const share of [10, 0.7, 0.4, 0.2]) {
          const { view, folded } = await viewOf(format, list, { share, ladder });
          folds += folded;
          const text = JSON.stringify(view);
          if (seen.has(text)) continue;
          seen.add(text);
          wrong.push(...(await sent(view, `${JSON.stringify(ladder)} at ${share}`)));
        }
      assert.deepEqual(wrong, []);
      assert.ok(folds > 0 && seen.size > 5, `${folds} folds, ${seen.size} views`);
    });

  for (const approved of [true, false])
    test(`an approval that the SDK has yet to act on, ${approved ? "given" : "refused"}: exactly one result is added`, async () => {
      const [format, list] = HISTORIES[APPROVALS];
      const open = [
        ...list,
        { role: "assistant", content: [{ type: "tool-call", toolCallId: "open", toolName: "remove", input: {} }, { type: "tool-approval-request", approvalId: "apopen", toolCallId: "open" }] },
        { role: "tool", content: [{ type: "tool-approval-response", approvalId: "apopen", approved }] },
      ];
      for (const share of [10, 0.4]) {
        const { view } = await viewOf(format, open, { share });
        let runs = 0;
        const tools = { remove: { description: "Removes.", needsApproval: true, execute: async () => `removed, ${++runs}` } };
        assert.deepEqual(await sent(view, `at ${share}`, { tools }), []);
        assert.equal(runs, approved ? providers.length : 0);
      }
    });

  test("the same histories without us are refused, so the tests above can fail", async () => {
    const image = { role: "assistant", content: [{ type: "image", image: IMAGE, mediaType: "image/png" }, { type: "text", text: "Here." }] };
    const hello = { role: "user", content: "Hello." };
    const tool = (id) => ({ role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "read", input: {} }] });
    const output = (...ids) => ({ role: "tool", content: ids.map((id) => ({ type: "tool-result", toolCallId: id, toolName: "read", output: { type: "text", value: "ok" } })) });
    for (const [what, list, said] of [
      ["an image part of the assistant", [hello, image, hello], /InvalidPrompt/],
      ["an empty text of the assistant", [hello, { role: "assistant", content: "" }, tool("a"), output("a")], /anthropic: A-empty/],
      ["neighbours with calls", [hello, tool("a"), tool("b"), output("a", "b")], /openai-chat: C-unanswered/],
      ["the same at Gemini", [hello, tool("a"), tool("b"), output("a", "b")], /google: calls at 1 and/],
      ["a call without an output", [hello, tool("a"), hello], /MissingToolResults/],
    ]) {
      const wrong = await sent(list, what);
      assert.ok(wrong.some((line) => said.test(line)), `${what}: ${wrong}`);
    }
  });

  test("recorded histories of all providers, whole and at half their size", { skip: missing }, async () => {
    const wrong = [];
    let views = 0;
    for (const [name, format] of [["chat", "openai-chat"], ["anthropic", "anthropic"], ["responses", "openai-responses"]])
      for (const { id, items, opts } of recordedRequests(name)) {
        if (opts.stateful) continue;
        const seen = new Set();
        for (const share of [10, 0.5]) {
          const { view } = await viewOf(format, items, { share });
          const text = JSON.stringify(view);
          if (seen.has(text)) continue;
          seen.add(text);
          views++;
          wrong.push(...(await sent(view, `${id} at ${share}`)));
        }
      }
    assert.deepEqual(wrong, []);
    assert.ok(views > 400, `${views} views`);
  });

  test("approvals in a ladder that merges instructions into the base prompt", async () => {
    const [format, list] = HISTORIES[APPROVALS];
    const given = [...list.slice(0, 4), ...list.slice(-1)];
    const { view } = await viewOf(format, given, { share: 10, ladder: "ladder" });
    assert.deepEqual(view, given);
  });

  test("reasoning with an image that the AI SDK's messages cannot express", async () => {
    const list = [
      { role: "user", content: "Draw." },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
      { type: "image_generation_call", id: "ig_1", status: "completed", result: IMAGE },
      { role: "user", content: "Another." },
    ];
    const { view } = await viewOf("openai-responses", list, { share: 100 });
    assert.deepEqual(await sent(view, "reasoning alone"), []);
  });

  test("a history that starts with the assistant", async () => {
    const { view } = await viewOf("openai-chat", [{ role: "assistant", content: "How can I help?" }, { role: "user", content: "Hello." }], { share: 100 });
    assert.deepEqual(view.map(({ role }) => role), ["user", "assistant", "user"]);
    assert.deepEqual(await sent(view, "the assistant begins"), []);
  });

  test("the middleware: an opening and a summary are lists of parts", async () => {
    const [, list] = HISTORIES["tool calls, one and several at once"];
    const session = new Session({ contextWindow: 100_000 });
    session.pushFrom("openai-chat", list);
    const whole = session.view("ai-sdk");
    for (const [what, messages, contextWindow] of [
      ["the assistant begins", [{ role: "assistant", content: "How can I help?" }, { role: "user", content: "Hello." }], 100_000],
      ["a fold", whole, 1_500],
    ]) {
      const folding = () => middleware({ contextWindow, compaction: { onFailure: "extractive" } });
      const wrong = [];
      for (const provider of providers) {
        const body = await provider.bodyOf(messages, { middleware: folding() });
        wrong.push(...brokenBy(provider.format, body).map((problem) => `${what}, ${provider.name}: ${problem}`));
        if (what === "a fold") assert.ok(JSON.stringify(body).includes("[Record of"), `${provider.name} has the summary`);
      }
      assert.deepEqual(wrong, []);
    }
  });
});
