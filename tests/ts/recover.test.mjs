// `session.recover`: the provider refused a view as too long although we counted that it fits.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session } from "contextfold";
import { failsWith } from "../support/session.mjs";

const words = (n) => "word ".repeat(n);
const talk = (turns) => Array.from({ length: turns }, (_, i) => [{ role: "user", content: `question ${i} ${words(200)}` }, { role: "assistant", content: `answer ${i} ${words(200)}` }]).flat();

function session(options = {}) {
  const asked = [];
  const made = new Session({ contextWindow: 100_000, summarize: (request) => (asked.push(request), "<summary>the gist</summary>"), ...options });
  made.push([...talk(20), { role: "user", content: "and now?" }]);
  return Object.assign(made, { asked });
}

const TEXT = "prompt is too long: 9000 tokens > 4000 maximum";

describe("errors that mean too long", () => {
  const body = { type: "error", error: { type: "invalid_request_error", message: TEXT } };
  const errors = {
    "a text": TEXT,
    "an Error": new Error(TEXT),
    "a client's error with the parsed body": Object.assign(new Error("400"), { status: 400, error: body }),
    "a client's error with the body's text": Object.assign(new Error("Bad Request"), { statusCode: 400, responseBody: JSON.stringify(body) }),
    "a fetch-like response's data": { response: { status: 400, data: body } },
    "a cause": new Error("the model call failed", { cause: new Error(TEXT) }),
    "retries": Object.assign(new Error("Failed after 3 attempts"), { errors: [new Error("timeout"), new Error(TEXT)] }),
    "a body": body,
  };
  for (const [name, error] of Object.entries(errors))
    test(name, async () => {
      const s = session();
      const before = s.tokens;
      const prepared = await s.recover(error);
      assert.ok(s.tokens < before && s.tokens <= s.limit);
      assert.deepEqual(prepared.messages, s.lower());
      assert.equal(prepared.report.tokens_after, s.tokens);
      assert.equal(s.asked[0].reason, "recover");
    });

  const why = {
    [TEXT]: "the provider rejected the request: it has 9000 tokens and the limit is 4000",
    "This model's maximum context length is 4000 tokens.": "the provider rejected the request as too long: the limit is 4000 tokens",
  };
  for (const [said, told] of Object.entries(why))
    test(`the report gives the reason: ${told}`, async () => {
      const { report } = await session().recover(new Error(said));
      assert.equal(report.decisions.find((d) => d.pass === "summarize").why.split(";")[0], told);
    });

  test("without figures, the limit becomes three quarters of the view, which is cut only to that", async () => {
    const s = session();
    for (const error of [Object.assign(new Error("400"), { code: "context_length_exceeded" }), new Error("Prompt exceeds max length")]) {
      const before = s.tokens;
      await s.recover(error);
      assert.equal(s.limit, Math.floor(before * 0.75));
      assert.ok(s.tokens <= s.limit && s.tokens > before * 0.6, `${before} → ${s.tokens}`);
    }
  });

  test("errors whose causes form a circle", async () => {
    const a = new Error("a");
    const b = new Error(TEXT, { cause: a });
    a.cause = b;
    assert.ok(await session().recover(a));
  });
});

describe("other errors", () => {
  const throwing = { get message() { throw new Error("mine"); } };
  for (const error of [new Error("Rate limit reached: too many tokens per minute"), new Error("Overloaded"), "no", 5, null, undefined, {}, throwing, { error: { message: "No tool output found for function call a." } }])
    test(`${typeof error} ${error?.error?.message ?? (error === throwing ? "that throws" : error)}`, async () => {
      const s = session();
      const [tokens, limit] = [s.tokens, s.limit];
      assert.equal(await s.recover(error), null);
      assert.deepEqual([s.tokens, s.limit], [tokens, limit]);
    });
});

describe("what is learnt from a refusal", () => {
  test("the limit in the model's own tokens, and our undercount", async () => {
    const s = session({ safetyMargin: 0 });
    const counted = s.tokens;
    await s.recover(`prompt is too long: ${counted * 2} tokens > 8000 maximum`);
    assert.equal(s.limit, 8000);
    assert.equal(s.window, 8000);
    assert.ok(s.tokens < 4000);
    s.pushFrom("messages", [{ role: "assistant", content: "fine" }, ...talk(10)]);
    const { report } = await s.prepare();
    assert.deepEqual([report.limit, report.counter.calibration], [8000, 2], "it holds from now on");
    assert.ok(s.tokens < 4000 && report.counter.corrected_tokens < 8000);
  });

  test("if counts may not be corrected, the limit is lowered by our undercount", async () => {
    const s = session({ safetyMargin: 0, calibrate: false });
    await s.recover(`prompt is too long: ${s.tokens * 2} tokens > 8000 maximum`);
    assert.deepEqual([s.limit, s.window], [4000, 8000]);
  });

  test("a correction learnt from usage is not applied twice: it folds at 80 % of the real limit", async () => {
    const s = new Session({ contextWindow: 28_000 });
    const answered = () => (s.push({ role: "assistant", content: "ok" }), s.recordUsage({ input_tokens: Math.round(s.tokens * 1.2), output_tokens: 1 }));
    for (let n = 0; n < 8; n++) (s.push({ role: "user", content: words(900) }), await s.prepare(), answered());
    while (s.tokens * 1.2 < 20_500) (s.push({ role: "user", content: words(100) }), await s.prepare(), answered());
    const { report } = await s.recover(`prompt is too long: ${Math.round(s.tokens * 1.2)} tokens > 20000 maximum`);
    assert.deepEqual([s.limit, s.threshold, report.limit], [20_000, 16_000, 20_000]);
    const again = Session.restore(s.snapshot());
    assert.deepEqual([again.limit, again.threshold], [20_000, 16_000]);
  });

  test("if we counted more than the provider, its limit is taken as stated", async () => {
    const s = session();
    await s.recover("prompt is too long: 5000 tokens > 4000 maximum");
    assert.equal(s.limit, 4000);
  });

  test("a session without a window gets one", async () => {
    const s = session({ contextWindow: undefined });
    assert.equal(s.limit, null);
    await s.recover(TEXT);
    assert.deepEqual([s.window, s.limit <= 4000], [4000, true]);
  });

  test("without numbers, each refusal cuts a quarter of the view", async () => {
    const s = session({ contextWindow: undefined, safetyMargin: 0 });
    for (let n = 0; n < 2; n++) {
      const before = s.tokens;
      await s.recover("Your input exceeds the context window of this model.").catch((error) => assert.equal(error.code, "CONTEXT_WINDOW_EXCEEDED"));
      assert.equal(s.limit, Math.floor(before * 0.75));
    }
  });

  test("a stated limit that the view already meets does not end recovery", async () => {
    const s = session({ safetyMargin: 0 });
    const before = s.tokens;
    await s.recover(`input length and \`max_tokens\` exceed context limit: ${before} + 21333 > 100000, decrease input length or \`max_tokens\``);
    assert.equal(s.limit, Math.floor(before * 0.75));
  });
});

describe("the number of tries is limited", () => {
  test("the fourth refusal in a row is CONTEXT_WINDOW_EXCEEDED; an answer resets the count", async () => {
    const s = session({ contextWindow: undefined });
    for (let n = 0; n < 3; n++) await s.recover("context_length_exceeded").catch((error) => assert.equal(error.code, "CONTEXT_WINDOW_EXCEEDED"));
    await assert.rejects(s.recover(new Error("context_length_exceeded: no")), failsWith("CONTEXT_WINDOW_EXCEEDED", /3 times in a row.*context_length_exceeded: no/));
    s.push([{ role: "assistant", content: "fine" }, ...talk(20)]);
    const again = await s.recover(TEXT).catch((error) => error);
    assert.doesNotMatch(again.message ?? "", /in a row/);
  });

  test("a view that cannot be made smaller: the error says so, and the view is unchanged", async () => {
    const s = new Session({ contextWindow: 10_000 });
    s.push([{ role: "system", content: words(2000) }, { role: "user", content: "go" }]);
    await assert.rejects(s.recover("prompt is too long: 9000 tokens > 100 maximum"), failsWith("BUDGET_IMPOSSIBLE", /header/));
    assert.equal(s.lower().length, 2);
  });

  test("it never throws synchronously, it rejects", async () => {
    const s = session();
    const wrong = s.recover(TEXT, { signal: 5 });
    await assert.rejects(wrong, failsWith("INVALID_ARGUMENT", /AbortSignal/));
    await assert.rejects(s.recover(TEXT, { signal: AbortSignal.abort() }), failsWith("ABORTED", /./));
    s.free();
    await assert.rejects(s.recover(TEXT), failsWith("FREED", /./));
  });
});
