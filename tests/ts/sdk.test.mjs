// The official SDKs: their types accept our views, and their clients send them to a provider that accepts them.

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { generateText } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import OpenAI from "openai";
import ts from "typescript";
import { Session, convert } from "contextfold";
import { missing, recordedRequests, validator } from "../support/data.mjs";
import { officialServer } from "../support/official.mjs";
import { conversation } from "../support/session.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const validate = missing ? null : await validator();

/** A conversation with everything that the formats share: a header, parallel calls, an image, an interrupted call, texts. */
const shared = [
  { role: "system", content: "You are a helper." },
  ...conversation(6),
  { role: "user", content: [{ type: "text", text: "look" }, { type: "image", data: "iVBORw0KGgo=", media_type: "image/png", detail: "low" }] },
  { role: "assistant", content: "two at once", tool_calls: ["x", "y"].map((id) => ({ id, type: "function", function: { name: "read", arguments: "{}" } })) },
  { role: "tool", tool_call_id: "x", content: "1" },
  { role: "tool", tool_call_id: "y", content: "2" },
  { role: "assistant", content: null, tool_calls: [{ id: "z", type: "function", function: { name: "read", arguments: '{"a":[1]}' } }] },
  { role: "user", content: "never mind" },
];

const OWN = {
  "openai-responses": [
    { role: "user", content: "go" },
    { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gA" },
    { id: "fc_1", type: "function_call", call_id: "a", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "a", output: "1" },
    { id: "rs_2", type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
    { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done", annotations: [] }] },
    { role: "user", content: [{ type: "input_text", text: "and?" }] },
  ],
  "openai-chat": [{ role: "user", content: "go" }, { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }] }, { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "1" }] }],
  anthropic: [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }, { type: "tool_use", id: "a", name: "f", input: {} }, { type: "tool_use", id: "b", name: "f", input: { x: 1 } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "1" }, { type: "tool_result", tool_use_id: "b", is_error: true, content: [{ type: "text", text: "2" }] }, { type: "text", text: "and?" }] },
  ],
  "ai-sdk": [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "reasoning", text: "hm" }, { type: "tool-call", toolCallId: "a", toolName: "f", input: {} }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "f", output: { type: "json", value: { n: 1 } } }] },
  ],
};
const FORMATS = Object.keys(OWN);
const listOf = (view) => (Array.isArray(view) ? view : (view.input ?? view.messages));

/** Views of the shared conversation, whole and under small windows, and of a list in the format itself. */
async function views(format) {
  const out = [];
  for (const window of [1_000_000, 2500, 900, 400]) {
    const session = new Session({ contextWindow: window, toolOutputCache: { contextBudgetTokens: Math.floor(window / 3) }, summarize: () => "<retain>kept</retain><summary>The gist.</summary>" });
    session.push(shared);
    await session.prepare().catch((error) => assert.equal(error.code, "CONTEXT_WINDOW_EXCEEDED"));
    out.push(session.view(format));
  }
  const own = new Session();
  own.pushFrom(format, OWN[format]);
  out.push(own.view(format));
  if (format !== "openai-responses") {
    const converted = new Session();
    converted.pushFrom("ai-sdk", convert(format, "ai-sdk", OWN[format]));
    out.push(converted.view(format));
  }
  return out;
}

describe("types", () => {
  const folder = join(root, "target/sdk-types");
  after(() => rmSync(folder, { recursive: true, force: true }));
  const TYPES = {
    "openai-responses": ['import type OpenAI from "openai";', "OpenAI.Responses.ResponseCreateParamsNonStreaming", (view) => ({ model: "m", ...view })],
    "openai-chat": ['import type OpenAI from "openai";', "OpenAI.Chat.ChatCompletionCreateParamsNonStreaming", (view) => ({ model: "m", messages: view })],
    anthropic: ['import type Anthropic from "@anthropic-ai/sdk";', "Anthropic.MessageCreateParamsNonStreaming", (view) => ({ model: "m", max_tokens: 1, ...view })],
    "ai-sdk": ['import type { ModelMessage } from "ai";', "ModelMessage[]", (view) => view],
  };

  /** Compiler errors by file name: with `--strict`, and no unknown keys in object literals. */
  function compile(files) {
    mkdirSync(folder, { recursive: true });
    const paths = Object.entries(files).map(([name, text]) => (writeFileSync(join(folder, name), text), join(folder, name)));
    const program = ts.createProgram(paths, { strict: true, noEmit: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, types: ["node"] });
    return ts.getPreEmitDiagnostics(program).map((d) => `${d.file?.fileName.split("/").at(-1)}: ${ts.flattenDiagnosticMessageText(d.messageText, "\n")}`);
  }

  test("each view has the type that the SDK expects", async () => {
    const files = {};
    for (const format of FORMATS) {
      const [imports, type, whole] = TYPES[format];
      for (const [n, view] of (await views(format)).entries())
        files[`${format}-${n}.ts`] = `${imports}\nexport const view: ${type} = ${JSON.stringify(whole(view), null, 1)};\n`;
    }
    assert.deepEqual(compile(files), []);
  });

  test("the compiler rejects a wrong view, so the check can fail", () => {
    const [imports, type] = TYPES["openai-chat"];
    const wrong = { model: "m", messages: [{ role: "tool", content: "an output without the id of its call" }] };
    assert.match(compile({ "wrong.ts": `${imports}\nexport const view: ${type} = ${JSON.stringify(wrong)};\n` }).join(), /wrong\.ts/);
  });
});

describe("clients", () => {
  let server, openai, anthropic;
  before(async () => {
    server = await officialServer({ validate });
    openai = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0, timeout: 5000 });
    anthropic = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0, timeout: 5000 });
  });
  after(() => server.close());

  const model = () =>
    new MockLanguageModelV3({
      doGenerate: {
        content: [{ type: "text", text: "ok" }],
        finishReason: { unified: "stop", raw: "stop" },
        usage: { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } },
        warnings: [],
      },
    });
  // The SDK takes the header separately from its list; tools need not be declared for earlier calls.
  async function generate(messages) {
    const system = messages.filter((m) => m.role === "system");
    const { text } = await generateText({ model: model(), ...(system.length ? { system } : {}), messages: messages.filter((m) => m.role !== "system") });
    return text;
  }
  const SEND = {
    "openai-responses": async (view) => (await openai.responses.create({ model: "m", ...view })).output_text,
    "openai-chat": async (view) => (await openai.chat.completions.create({ model: "m", messages: view })).choices[0].message.content,
    anthropic: async (view) => (await anthropic.messages.create({ model: "m", max_tokens: 100, ...view })).content[0].text,
    "ai-sdk": generate,
  };

  for (const format of FORMATS)
    test(`${format}: every view is accepted`, async () => {
      for (const view of await views(format)) assert.equal(await SEND[format](view), "ok");
    });

  for (const format of FORMATS)
    test(`${format}: a view with a missing output is refused`, async () => {
      const [view] = await views(format);
      const list = listOf(view);
      const at = list.findIndex((m) => m.role === "tool" || m.type === "function_call_output" || m.content?.[0]?.type === "tool_result");
      const without = list.toSpliced(at, 1);
      await assert.rejects(SEND[format](Array.isArray(view) ? without : { ...view, [view.input ? "input" : "messages"]: without }));
    });

  test("recorded requests are accepted as views of sessions with a small window", { skip: missing }, async () => {
    let sent = 0;
    for (const [of, format] of Object.entries({ responses: "openai-responses", chat: "openai-chat", anthropic: "anthropic" })) {
      const requests = recordedRequests(of).filter((r) => ["openai", "anthropic"].includes(r.opts.provider) && !r.opts.stateful && r.opts.store !== false && r.items.length > 4);
      for (const { items, id } of requests.slice(0, 25)) {
        const whole = new Session();
        whole.pushFrom(format, items);
        const session = new Session({ contextWindow: Math.max(1, Math.floor(whole.tokens * 0.6)), summarize: () => "<summary>The gist.</summary>" });
        session.pushFrom(format, items);
        await session.prepare().catch((error) => assert.match(error.code, /CONTEXT_WINDOW_EXCEEDED|BUDGET_IMPOSSIBLE|SUMMARY_NOT_SMALLER/));
        assert.equal(await SEND[format](session.view(format)), "ok", id);
        sent++;
      }
    }
    assert.ok(sent > 30, `only ${sent} were sent`);
  });

  test("recover understands the client's own error, until the provider accepts the view", async () => {
    const small = await officialServer({ most: 1500 });
    const clients = {
      "openai-responses": (view) => new OpenAI({ apiKey: "none", baseURL: `${small.url}/v1`, maxRetries: 0, timeout: 5000 }).responses.create({ model: "m", ...view }),
      "openai-chat": (view) => new OpenAI({ apiKey: "none", baseURL: `${small.url}/v1`, maxRetries: 0, timeout: 5000 }).chat.completions.create({ model: "m", messages: view }),
      anthropic: (view) => new Anthropic({ apiKey: "none", baseURL: small.url, maxRetries: 0, timeout: 5000 }).messages.create({ model: "m", max_tokens: 100, ...view }),
    };
    try {
      for (const [format, send] of Object.entries(clients)) {
        const session = new Session({ contextWindow: 1_000_000, summarize: () => "<summary>The gist.</summary>" });
        session.push(conversation(20));
        session.push({ role: "user", content: "and now?" });
        let refused = 0;
        for (;;) {
          try {
            await send(session.view(format));
            break;
          } catch (error) {
            refused++;
            if (!(await session.recover(error))) throw error;
          }
        }
        assert.ok(refused > 0, format);
        const wrong = await send([{ role: "user" }]).catch((error) => error);
        assert.equal(await session.recover(wrong), null);
      }
    } finally {
      await small.close();
    }
  });
});
