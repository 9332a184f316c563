// `contextfold/bedrock` with the real SDK against a local server.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand, InvokeModelCommand } from "@aws-sdk/client-bedrock-runtime";
import { Session } from "contextfold";
import { plugin } from "contextfold/bedrock";
import { provider } from "./support/provider.mjs";
import { ANSWER, CALLS, FOLDS, OPTIONS, SUMMARY, TASK, assertFits, assertKept, failingSummary, outputOf, warnings } from "./support/work.mjs";

const FORMAT = "bedrock-converse";
const STRICT = { ...OPTIONS, strict: true };
const TOOL = { toolSpec: { name: "build", description: "Builds.", inputSchema: { json: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } } } };
const PNG = Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10]);
const user = (text, ...more) => ({ role: "user", content: [{ text }, ...more] });

describe("@aws-sdk/client-bedrock-runtime 3", () => {
  let server;
  before(async () => (server = await provider({ summary: SUMMARY })));
  after(() => server.close());
  const fresh = () => ((server.bodies.length = 0), server);
  const base = { modelId: "us.amazon.nova-pro-v1:0", system: [{ text: "You build." }], toolConfig: { tools: [TOOL] }, inferenceConfig: { maxTokens: 1000 } };

  function client(options, endpoint = server.url) {
    const made = new BedrockRuntimeClient({ region: "us-east-1", endpoint, credentials: { accessKeyId: "none", secretAccessKey: "none" }, maxAttempts: 1 });
    if (options) made.middlewareStack.use(plugin(options));
    return made;
  }

  /** A typical loop that keeps the whole list. */
  async function loop(bedrock, create = (input) => bedrock.send(new ConverseCommand(input)), messages = [user(TASK)]) {
    for (;;) {
      const { output, stopReason } = await create({ ...base, messages: [...messages] });
      messages.push(output.message);
      if (stopReason !== "tool_use") return messages;
      const calls = output.message.content.filter((block) => block.toolUse);
      messages.push({ role: "user", content: calls.map(({ toolUse: { toolUseId, input } }) => ({ toolResult: { toolUseId, content: [{ text: outputOf(input.n) }] } })) });
    }
  }

  /** The message assembled from a stream. */
  async function streamed(bedrock, input) {
    const content = [];
    let stopReason;
    const { stream } = await bedrock.send(new ConverseStreamCommand(input));
    for await (const { contentBlockStart: start, contentBlockDelta: delta, messageStop } of stream) {
      if (start) content[start.contentBlockIndex] = { toolUse: { ...start.start.toolUse, input: "" } };
      if (delta?.delta.text) content[delta.contentBlockIndex] = { text: (content[delta.contentBlockIndex]?.text ?? "") + delta.delta.text };
      if (delta?.delta.toolUse) content[delta.contentBlockIndex].toolUse.input += delta.delta.toolUse.input;
      if (messageStop) ({ stopReason } = messageStop);
    }
    const whole = content.map((block) => (block.toolUse ? { toolUse: { ...block.toolUse, input: JSON.parse(block.toolUse.input) } } : block));
    return { output: { message: { role: "assistant", content: whole } }, stopReason };
  }

  function assertWhole(messages, calls = CALLS) {
    const results = messages.flatMap(({ content }) => content.filter((block) => block.toolResult));
    assert.equal(results.length, calls);
    for (const [n, { toolResult }] of results.entries()) assert.equal(toolResult.content[0].text, outputOf(n));
    assert.equal(messages.at(-1).content[0].text, ANSWER);
  }

  test("without it, the window is exceeded", async () => {
    const { bodies } = fresh();
    assertWhole(await loop(client()));
    assert.throws(() => assertKept(FORMAT, bodies), /tokens are more than/);
  });

  test("each request fits and is valid, and the caller's list is whole", async () => {
    const { bodies } = fresh();
    assertWhole(await loop(client(STRICT)));
    assertKept(FORMAT, bodies);
    assert.ok(bodies.every(({ system, toolConfig }) => system[0].text === "You build." && toolConfig.tools.length === 1));
  });

  test("streamed: the same, and usage is learnt from, as without a stream", async (t) => {
    const counting = await provider({ perToken: 1.3 });
    t.after(() => counting.close());
    for (const create of [undefined, streamed]) {
      counting.bodies.length = 0;
      const session = new Session(OPTIONS);
      const bedrock = client({ session, strict: true }, counting.url);
      assertWhole(await loop(bedrock, create && ((input) => create(bedrock, input))));
      assertKept(FORMAT, counting.bodies);
      assert.ok(session.report.counter.calibration > 1.2, "the reported tokens were more than counted");
    }
  });

  test("a loop of 200 calls under the server's limit, with a summary that throws midway", async (t) => {
    const strict = await provider({ window: 9_000, calls: 200 });
    t.after(() => strict.close());
    const summarize = failingSummary((nth) => nth === 2);
    const { result, said } = await warnings(() => loop(client({ ...OPTIONS, ladder: FOLDS, summarize }, strict.url)));
    assertWhole(result, 200);
    assert.equal(strict.bodies.length, 201);
    assert.equal(strict.refused, 0, "none was refused");
    assert.ok(summarize.asked > 2);
    assert.ok(said.length <= 1, said.join("\n"));
  });

  test("a request refused as too long is retried with less, once", async (t) => {
    const small = await provider({ window: 4_000 });
    t.after(() => small.close());
    assertWhole(await loop(client(STRICT, small.url)));
    assert.ok(small.refused >= 1 && small.refused <= 3, `${small.refused} refusals`);
    const streaming = client(STRICT, small.url);
    small.bodies.length = 0;
    assertWhole(await loop(streaming, (input) => streamed(streaming, input)));
    const other = client(STRICT, small.url).send(new ConverseCommand({ ...base, messages: [] }));
    await assert.rejects(other, { name: "ValidationException" });
  });

  test("bytes reach the service unchanged, even if pushed in another format", async () => {
    const { bodies } = fresh();
    const session = new Session({ contextWindow: 100_000 });
    session.pushFrom("openai-chat", [{ role: "user", content: [{ type: "text", text: "Look." }, { type: "image_url", image_url: { url: `data:image/png;base64,${Buffer.from(PNG).toString("base64")}` } }] }, { role: "assistant", content: "I see." }]);
    const bedrock = client({ session, strict: true });
    const image = { image: { format: "png", source: { bytes: PNG } } };
    const messages = [...session.view(FORMAT).messages, user("And here?", image)];
    await bedrock.send(new ConverseCommand({ ...base, messages }));
    const [{ messages: sent }] = bodies;
    const images = sent.flatMap(({ content }) => content.filter((block) => block.image));
    assert.deepEqual(images.map((block) => block.image.source.bytes), [1, 2].map(() => Buffer.from(PNG).toString("base64")));
    assert.ok(session.tokens > 500, "the images are counted");
  });

  test("cacheMarks puts cache points where they are worth it, and the caller's own stay", async () => {
    const { bodies } = fresh();
    const system = [{ text: "You mend builds. ".repeat(400) }];
    const bedrock = client({ ...STRICT, contextWindow: 10_000, cacheMarks: 4 });
    await loop(bedrock, (input) => bedrock.send(new ConverseCommand({ ...input, system })));
    assertKept(FORMAT, bodies, { limit: 10_000 });
    for (const body of bodies) {
      assert.deepEqual(body.system, [...system, { cachePoint: { type: "default" } }]);
      assert.deepEqual(body.messages.at(-1).content.at(-1), { cachePoint: { type: "default" } });
    }
    for (const cacheMarks of [5, -1, "4"]) assert.throws(() => plugin({ ...OPTIONS, cacheMarks }), { code: "INVALID_CONFIG" });
  });

  test("a summary by the same client", async () => {
    const { bodies } = fresh();
    server.summaries = 0;
    const summarize = async (request) => {
      const { output, usage, stopReason } = await bedrock.send(new ConverseCommand({ modelId: base.modelId, ...request.as(FORMAT) }));
      return { text: output.message.content[0].text, usage, finish_reason: stopReason };
    };
    const bedrock = client({ ...STRICT, ladder: FOLDS, summarize });
    await loop(bedrock);
    bodies.forEach((body) => assertFits(FORMAT, body));
    assert.ok(server.summaries > 0);
  });

  test("a session with memory: it reaches the model, after the system prompt", async () => {
    const { bodies } = fresh();
    const session = new Session(OPTIONS);
    session.setContext({ memory: ["The build runs on Fridays."] });
    await loop(client({ session, strict: true }));
    assert.deepEqual(bodies.at(-1).system.map(({ text }) => text), ["You build.", "<relevant_context>The build runs on Fridays.</relevant_context>"]);
    assertKept(FORMAT, bodies);
  });

  test("other commands are sent unchanged", async (t) => {
    const session = new Session(OPTIONS);
    const bedrock = client({ session, strict: true });
    t.after(() => bedrock.destroy());
    const body = JSON.stringify({ anthropic_version: "bedrock-2023-05-31", max_tokens: 10, messages: [{ role: "user", content: "hi" }] });
    await assert.rejects(bedrock.send(new InvokeModelCommand({ modelId: "m", body, contentType: "application/json" })));
    assert.equal(session.messages.length, 0);
  });

  test("an internal failure leaves the run alone, and is reported once", async () => {
    const { bodies } = fresh();
    const { result, said } = await warnings(() => loop(client({ contextWindow: 200_000, tokenizer: () => NaN })));
    assertWhole(result);
    assert.equal(bodies.at(-1).messages.length, 1 + 2 * CALLS);
    assert.equal(said.length, 1);
  });

  test("strict: an internal failure fails the run; a wrong option is refused at once", async () => {
    fresh();
    await assert.rejects(loop(client({ ...STRICT, ladder: FOLDS, summarize: () => Promise.reject(new Error("no model")) })), { code: "SUMMARY_FAILED" });
    assert.throws(() => plugin({ contextWindw: 1 }), { code: "INVALID_CONFIG", message: /contextWindow/ });
  });
});
