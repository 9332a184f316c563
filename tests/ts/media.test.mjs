// Limits of a request other than tokens (bytes, images), and the provider's own compaction, through the package.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, toolDefinitions } from "../../pkg/node.js";

const image = `iVBORw0KGgo${"A".repeat(2_000)}`;
const shot = (i) => [
  { role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: image } }, { type: "text", text: `shot ${i}` }] },
  { role: "assistant", content: "Seen." },
];
const withShots = (options, count) => {
  const session = new Session({ contextWindow: 1_000_000, ...options });
  for (let i = 0; i < count; i++) session.pushFrom("anthropic", shot(i));
  session.push({ role: "user", content: "And now?" });
  return session;
};
const images = (session) => JSON.stringify(session.view("anthropic")).split('"type":"image"').length - 1;
const tooLarge = Object.assign(new Error('413 {"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}'), { status: 413 });

test("a refusal by bytes removes images and leaves the token limit unchanged", async () => {
  const session = withShots({}, 60);
  await session.prepare();
  const limits = [session.limit];
  for (let i = 0; i < 3; i++) {
    const before = images(session);
    const prepared = await session.recover(tooLarge);
    assert.ok(images(session) < before);
    assert.equal(prepared.report.decisions[0].pass, "trim_media");
    limits.push(session.limit);
  }
  assert.deepEqual(limits, Array(4).fill(1_000_000));
});

test("the number in the error becomes the budget, and setOptions can raise it", async () => {
  const session = withShots({}, 52);
  session.setTools("anthropic", toolDefinitions("anthropic")); // the model can open refs
  await session.recover(new Error("request contains 52 images, exceeding the maximum of 50 allowed per request"));
  assert.ok(images(session) <= 50);
  const text = JSON.stringify(session.view("anthropic"));
  const [, ref] = /left out of this request; ref=([\w-]+)\]/.exec(text);
  assert.ok(session.toolOutputs.get(ref));
  session.setOptions({ media: { maxImages: null } });
  const { report } = await session.prepare();
  assert.equal(report.decisions[0].pass, "bring_back");
  assert.equal(images(session), 52);
});

test("every format writes the placeholder as text", () => {
  const session = withShots({ media: { maxImages: 1, keepNewest: 0 } }, 3);
  for (const format of ["messages", "openai-chat", "openai-responses", "anthropic", "ai-sdk", "gemini", "bedrock-converse"]) {
    const text = JSON.stringify(session.view(format));
    assert.equal(text.split("[image left out of this request").length - 1, 2, format);
    assert.equal(text.split(image).length - 1, 1, format); // one is within the budget
  }
});

test("media options are validated", () => {
  assert.throws(() => new Session({ media: { maxImage: 3 } }), { code: "INVALID_CONFIG", message: /maxImages/ });
  assert.throws(() => new Session({ media: { maxImages: -1 } }), { code: "INVALID_CONFIG" });
});

test("a list with a provider compaction is counted and sent from there on", () => {
  const session = new Session({ contextWindow: 200_000 });
  const ids = session.pushFrom("anthropic", [
    { role: "user", content: "word ".repeat(16_000) },
    { role: "assistant", content: [{ type: "compaction", content: "The user sent a long text." }, { type: "text", text: "Noted." }] },
    { role: "user", content: "Go on." },
  ]);
  assert.ok(session.tokens < 200, `${session.tokens}`);
  assert.ok(!JSON.stringify(session.view("anthropic")).includes("word"));
  assert.equal(session.search("word word").length > 0, true);
  session.rewind(ids[0]);
  assert.ok(session.tokens > 10_000);
});

test("an unknown model may be counted like a given known one", () => {
  assert.throws(() => new Session({ model: "claude-opus-9" }), { code: "UNKNOWN_MODEL", message: /2026-11.*assumeModel: "claude-opus-5-5"/ });
  assert.equal(new Session({ model: "claude-opus-9", assumeModel: "claude-opus-5" }).limit, 1_000_000);
  for (const model of ["claude-opus-5", "mistral-large-latest", "grok-4", "qwen3", "llama3.1:8b"]) assert.ok(new Session({ model }).limit > 0, model);
});

test("prices are session options too, and are validated", () => {
  new Session({ contextWindow: 9_000, prices: { "gpt-5": { input_cost_per_token: 1e-6, output_cost_per_token: 1e-5 } } });
  assert.throws(() => new Session({ prices: 3 }), { code: "INVALID_CONFIG" });
});

test("media in items that only one API has count as media, not as the text of their base64", () => {
  const png = `iVBORw0KGgo${"A".repeat(400_000)}`;
  const ask = { role: "user", content: "Draw it." };
  const called = { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "draw", input: {} }] };
  const drawn = { type: "content", value: [{ type: "file", mediaType: "image/png", data: { type: "data", data: png } }] };
  const lists = {
    "openai-responses": [
      [{ type: "image_generation_call", id: "ig_1", status: "completed", result: png }],
      [{ type: "code_interpreter_call", id: "ci_1", status: "completed", code: "plot()", container_id: "c", outputs: [{ type: "image", url: `data:image/png;base64,${png}` }] }],
    ],
    anthropic: [
      [
        {
          role: "assistant",
          content: [
            { type: "server_tool_use", id: "srvtoolu_1", name: "web_fetch", input: { url: "https://a.b" } },
            { type: "web_fetch_tool_result", tool_use_id: "srvtoolu_1", content: { type: "web_fetch_result", url: "https://a.b", content: { type: "document", source: { type: "base64", media_type: "application/pdf", data: png } } } },
          ],
        },
      ],
    ],
    "ai-sdk": [[called, { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "draw", output: drawn }] }]],
    "openai-chat": [[{ role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: png } }] }]],
  };
  for (const [format, each] of Object.entries(lists))
    for (const list of each) {
      const session = new Session({ contextWindow: 10_000_000 });
      session.pushFrom(format, [ask, ...list]);
      assert.ok(session.tokens > 500 && session.tokens < 20_000, `${format}: ${session.tokens} tokens`);
    }
});
