// The four checkpoints at the end of the specification (its section 3).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { OpenAIHistoryAdapter, Session, toolDefinitions } from "contextfold";
import { assistant, calls, conversation, failsWith, output, user, words } from "../support/session.mjs";
import { strictProvider } from "../support/strict-provider.mjs";

const PLACEHOLDER = /^\[tool output trimmed: .+; ref=(.+)\]$/;

/** A session whose four outputs together exceed their budget of 600 tokens; each takes about 250. */
function overBudget() {
  const session = new Session({ tokenizer: "bytes/4", toolOutputCache: { contextBudgetTokens: 600 } });
  session.setTools("openai-chat", toolDefinitions("openai-chat")); // the model can open refs
  session.push(user("go"));
  for (const n of [0, 1, 2, 3]) session.push([calls(`call_${n}`), output(`call_${n}`, `${n}`.repeat(1000))]);
  return session;
}

test("checkpoint 1: over the total tool output budget, the oldest outputs are trimmed and the newest kept", () => {
  const outputs = overBudget().view("messages").filter((m) => m.role === "tool");
  assert.deepEqual(outputs.map((m) => PLACEHOLDER.test(m.content)), [true, true, false, false]);
  assert.deepEqual(outputs.slice(2).map((m) => m.content), ["2".repeat(1000), "3".repeat(1000)]);
});

test("checkpoint 2: a trimmed tool message is a placeholder in every serialisation, and its ref returns the output", async () => {
  const session = overBudget();
  const trimmed = session.view("messages").filter((m) => m.role === "tool")[0];
  assert.equal(trimmed.content.match(PLACEHOLDER)[1], trimmed.output_ref.id);
  assert.equal(await session.toolOutputs.get(trimmed.output_ref.id), "0".repeat(1000));

  const { input } = session.view("openai-responses");
  assert.equal(input.find((i) => i.type === "function_call_output" && i.call_id === "call_0").output, trimmed.content);
  assert.equal(session.view("openai-chat").find((m) => m.tool_call_id === "call_0").content, trimmed.content);
  for (const format of ["anthropic", "ai-sdk"]) {
    const text = JSON.stringify(session.view(format));
    assert.ok(text.includes(trimmed.content) && !text.includes("0".repeat(1000)), format);
  }
});

test("checkpoint 3: past the threshold the history becomes retain + summary (+ the last turn)", async () => {
  const session = new Session({
    ladder: "spec", contextWindow: 4000,
    tokenizer: "bytes/4",
    compaction: { retainPrompt: "Keep refs." },
    summarize: () => "<retain>ref out_1</retain>\n<summary>Four questions were answered.</summary>",
  });
  session.push(conversation(4, 60));
  session.recordUsage({ input_tokens: 3100, output_tokens: 100 });
  assert.equal(session.shouldCompact(), true, "3200 of 4000 is the threshold of 0.8");
  const before = session.view("messages");
  const report = await session.checkAndCompact();
  const [retain, summary, ...rest] = session.view("messages");
  assert.deepEqual([retain.role, retain.content], ["user", "ref out_1"]);
  assert.deepEqual([summary.role, summary.content], ["user", "Four questions were answered."]);
  assert.deepEqual(rest, before.slice(-4), "the last turn stays whole");
  assert.ok(report.tokens_after < report.tokens_before);
  assert.equal(session.shouldCompact(), false);
});

test("checkpoint 3: one token under the threshold nothing happens", async () => {
  const session = new Session({ ladder: "spec", contextWindow: 4000, summarize: () => assert.fail("asked") });
  session.push(conversation(4, 60));
  session.recordUsage({ input_tokens: 3099, output_tokens: 100 });
  assert.equal(await session.checkAndCompact(), null);
});

describe("checkpoint 4: trailing tool calls that are not removed break the summary request", () => {
  let provider;
  before(async () => (provider = await strictProvider("<summary>Done so far.</summary>")));
  after(() => provider.close());

  const INSTRUCTION = "Summarise the conversation above.";
  const naive = {
    "openai-chat": (history) => ["/v1/chat/completions", { messages: [...history, user(INSTRUCTION)] }],
    "openai-responses": (history) => {
      const adapter = new OpenAIHistoryAdapter();
      const session = new Session();
      session.push(history);
      adapter.append(session.view("openai-responses").input);
      return ["/v1/responses", { input: [...adapter.inputItems, user(INSTRUCTION)] }];
    },
    anthropic: (history) => ["/v1/messages", { messages: [...asAnthropic(history), user(INSTRUCTION)] }],
  };
  const refusal = {
    "openai-chat": /^An assistant message with 'tool_calls' must be followed by tool messages .*: call_live$/,
    "openai-responses": /^No tool output found for function call call_live\.$/,
    anthropic: /`tool_use` ids were found without `tool_result` blocks immediately after: call_live\./,
  };
  const path = { "openai-chat": "/v1/chat/completions", "openai-responses": "/v1/responses", anthropic: "/v1/messages" };

  for (const [how, last] of Object.entries({ "with content": assistant("Let me look."), "without content": assistant(null) })) {
    const history = [...conversation(2, 60), user("and now?"), { ...last, tool_calls: calls("call_live").tool_calls }];

    for (const format of Object.keys(naive)) {
      test(`${format}, trailing calls ${how}: the naive request is refused, ours is accepted`, async () => {
        await assert.rejects(provider.post(...naive[format](history)), (error) => error.status === 400 && refusal[format].test(error.message));

        let body;
        const session = new Session({
          ladder: "spec", contextWindow: 100_000,
          summarize: (request) => provider.post(path[format], (body = request.as(format))),
        });
        session.push(history);
        await session.compact();
        assert.equal(session.folds().length, 1);
        const text = JSON.stringify(body);
        assert.ok(!text.includes("call_live"), "the unanswered call is in no part of the request");
        assert.equal(text.includes("Let me look."), how === "with content", "content stays, a message without any is left out");
        // The call itself is still running: it stays in the view, and its output can still be pushed.
        assert.ok(JSON.stringify(session.view("openai-chat")).includes("call_live"));
        session.push(output("call_live", "late"));
        assert.equal(session.view("messages").at(-1).content, "late");
      });
    }

    test(`naive request, trailing calls ${how}: the provider's message reaches the caller as the cause`, async () => {
      const session = new Session({
        ladder: "spec", contextWindow: 100_000,
        summarize: () => provider.post("/v1/chat/completions", { messages: [...history, user(INSTRUCTION)] }),
      });
      session.push(history);
      await assert.rejects(session.compact(), (e) => failsWith("SUMMARY_FAILED")(e) && refusal["openai-chat"].test(e.cause.message));
      assert.equal(session.folds().length, 0);
    });
  }

  test("in a partly answered batch, the answered calls stay with their results", async () => {
    let messages;
    const session = new Session({
      ladder: "spec", contextWindow: 100_000,
      summarize: (request) => {
        messages = request.messages;
        return provider.post("/v1/chat/completions", request.as("openai-chat"));
      },
    });
    session.push([...conversation(2, 60), user("both"), calls("call_a", "call_b"), output("call_a", "first")]);
    await session.compact();
    const last = messages.slice(-3, -1);
    assert.deepEqual(last[0].tool_calls.map((c) => c.id), ["call_a"]);
    assert.deepEqual([last[1].tool_call_id, last[1].content], ["call_a", "first"]);
    session.push(output("call_b", "second"));
  });

  /** The same history as Anthropic Messages. */
  function asAnthropic(history) {
    return history.map((m) => {
      if (m.role === "tool") return user([{ type: "tool_result", tool_use_id: m.tool_call_id, content: m.content }]);
      const uses = (m.tool_calls ?? []).map((c) => ({ type: "tool_use", id: c.id, name: c.function.name, input: JSON.parse(c.function.arguments) }));
      return { role: m.role, content: [...(m.content ? [{ type: "text", text: m.content }] : []), ...uses] };
    });
  }
});

test("the whole loop, repeated: the threshold is never exceeded twice in a row and the history stays complete", async () => {
  const session = new Session({ ladder: "spec", contextWindow: 3000, tokenizer: "bytes/4", summarize: () => "<summary>so far so good</summary>" });
  let pushed = 0;
  for (let n = 0; n < 30; n++) {
    session.push([user(`q${n} ${words(40, n)}`), calls(`c${n}`), output(`c${n}`, words(60, n)), assistant(`a${n}`)]);
    pushed += 4;
    await session.checkAndCompact();
    assert.ok(session.tokens < session.threshold, `turn ${n}: ${session.tokens} of ${session.threshold}`);
  }
  assert.equal(session.messages.length, pushed);
  assert.ok(session.folds().length >= 2);
  assert.equal(session.folds().filter((fold) => fold.in_view).length, 1, "summaries are replaced, never stacked");
});
