// `setContext`: memory, injections, skills and tools in the prompt, and the ladder document that uses them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, check } from "contextfold";
import { FORMATS, assistant, conversation, failsWith, listOf, stateOf, user, words } from "../support/session.mjs";

const PARTS = {
  memory: ["The user likes tabs.", "The build takes a minute."],
  injections: [user("Today is Friday.")],
  skills: [{ name: "pdf", description: 'reads "forms"', location: "/skills/pdf" }, { name: "xlsx" }],
};
const TOOLS = ["read", "write", "deploy"].map((name) => ({ type: "function", name, description: `${name}s a file`, parameters: {} }));
const part = (report, name) => report.parts.find((p) => p.name === name);
const texts = (session) => session.view("messages").map((m) => m.content);

describe("what the prompt contains", () => {
  test("parts come between header and conversation, and each is counted", async () => {
    const session = new Session({ contextWindow: 100_000 });
    session.push([{ role: "system", content: "You are terse." }, user("Why?")]);
    session.setContext(PARTS);
    assert.deepEqual(texts(session), [
      "You are terse.",
      '<available_skills skills="pdf (/skills/pdf): reads &quot;forms&quot;; xlsx" />',
      "<relevant_context>The user likes tabs.\nThe build takes a minute.</relevant_context>",
      "Today is Friday.",
      "Why?",
    ]);
    assert.deepEqual(session.items().map((i) => i.item_type), ["SYSTEM_PROMPT", "SKILL_METADATA", "MEMORY", "INJECTION", "USER_MESSAGE"]);
    const { report } = await session.prepare();
    for (const name of ["system", "skills", "memory", "injections", "user"]) assert.equal(part(report, name).messages, 1, name);
    assert.equal(report.parts.reduce((sum, p) => sum + p.tokens, 0), session.tokens);
    assert.equal(session.messages.length, 2, "the history is what was pushed");
  });

  test("valid in every format, before and after a compaction", async () => {
    for (const format of FORMATS) {
      const session = new Session({ contextWindow: 3000 });
      session.push([{ role: "system", content: "You are terse." }, ...conversation(8)]);
      session.setContext({ ...PARTS, injections: [user("Today is Friday."), assistant("Noted."), { role: "developer", content: "Use tabs." }] });
      for (let round = 0; round < 2; round++) {
        const view = session.view(format);
        const list = listOf(view);
        assert.deepEqual(check(format, list).filter((v) => v.severity === "error"), [], format);
        assert.ok(JSON.stringify(view).includes("relevant_context") && JSON.stringify(view).includes("available_skills"), format);
        await session.prepare();
      }
    }
    const session = new Session();
    session.push([{ role: "system", content: "You are terse." }, user("Why?")]);
    session.setContext(PARTS);
    const { system, messages } = session.view("anthropic");
    assert.equal(system.map((block) => block.text).join("|"), texts(session).slice(0, 3).join("|"));
    assert.equal(messages[0].role, "user");
  });

  test("text inside a part cannot close its tags", () => {
    const session = new Session();
    session.setContext({ memory: ["a</relevant_context>b < / RELEVANT_CONTEXT> $&"], skills: [{ name: 'x" /><y "' }] });
    assert.deepEqual(texts(session), [
      '<available_skills skills="x&quot; /&gt;&lt;y &quot;" />',
      "<relevant_context>a‹/relevant_context>b ‹ / RELEVANT_CONTEXT> $&</relevant_context>",
    ]);
  });

  test("a named part is replaced, null or an empty list clears it, the others stay", () => {
    const session = new Session();
    session.setContext(PARTS);
    session.setContext({ memory: ["new"] });
    assert.deepEqual(texts(session).slice(1), ["<relevant_context>new</relevant_context>", "Today is Friday."]);
    session.setContext({ memory: null, skills: [] });
    assert.deepEqual(texts(session), ["Today is Friday."]);
    session.setContext({ injections: null });
    assert.deepEqual(texts(session), []);
    session.setContext(PARTS);
    session.setContext(null);
    assert.deepEqual([texts(session), session.tokens], [[], 0]);
  });

  test("memory has a limit, 5 by default, which can be set", () => {
    const session = new Session();
    const shown = () => (texts(session)[0] ?? "").split("\n").length;
    session.setContext({ memory: Array.from({ length: 9 }, (_, n) => `fact ${n}`) });
    assert.equal(shown(), 5);
    session.setContext({ memoryLimit: 2 });
    assert.equal(shown(), 2);
    session.setContext({ memoryLimit: null });
    assert.equal(shown(), 5);
    session.setContext({ memoryLimit: 0 });
    assert.deepEqual(texts(session), []);
  });

  test("changing memory keeps the prompt cache of what comes before it, and the report says so", async () => {
    const session = new Session({ contextWindow: 100_000 });
    session.push([{ role: "system", content: words(50) }, ...conversation(3)]);
    session.setContext(PARTS);
    await session.prepare();
    const before = session.items();
    session.setContext({ memory: PARTS.memory });
    assert.equal((await session.prepare()).report.stable_prefix_tokens, session.tokens, "the same again changes nothing");
    session.setContext({ memory: ["another"] });
    const { report } = await session.prepare();
    assert.equal(report.stable_prefix_tokens, before[0].tokens + before[1].tokens);
    assert.match(report.left_out[0].why, /replaced/);
  });
});

describe("tools", () => {
  const session = (toolFilter) => {
    const s = new Session();
    s.setTools("openai-responses", TOOLS);
    if (toolFilter !== undefined) s.setContext({ toolFilter });
    return s;
  };

  test("tools that pass the filter are sent and counted", () => {
    const [all, some, none] = [session(), session((name) => name !== "deploy"), session(() => false)];
    assert.deepEqual(all.tools, TOOLS);
    assert.deepEqual(some.tools.map((t) => t.name), ["read", "write"]);
    assert.ok(all.tokens > some.tokens && some.tokens > none.tokens && none.tokens === 0);
    some.setTools("openai-chat", [{ type: "function", function: { name: "deploy" } }, { type: "function", function: { name: "list" } }]);
    assert.deepEqual(some.tools.map((t) => t.function.name), ["list"], "it holds for the next tools, too");
    some.setContext({ toolFilter: null });
    assert.equal(some.tools.length, 2);
  });

  test("what is no tool definition is refused, and nothing changes", () => {
    const s = session();
    for (const [bad, what] of [[5, "5"], ["read", '"read"'], [null, "null"], [() => {}, "null"]]) assert.throws(() => s.setTools("openai-chat", [...TOOLS, bad]), failsWith("INVALID_ARGUMENT", new RegExp(`tool definitions, got ${what} at ${TOOLS.length}`)));
    assert.deepEqual(s.tools, TOOLS);
  });

  test("a filter that throws or does not return a boolean changes nothing", () => {
    for (const [toolFilter, cause] of [[() => { throw new TypeError("no"); }, TypeError], [() => "yes", String], [() => undefined]]) {
      const s = session((name) => name !== "deploy");
      s.setContext(PARTS);
      const before = [stateOf(s), s.tools];
      assert.throws(() => s.setContext({ memory: ["new"], toolFilter }), (error) => {
        failsWith("INVALID_ARGUMENT", /toolFilter.*`read`/)(error);
        if (cause === TypeError) assert.ok(error.cause instanceof TypeError);
        return true;
      });
      assert.deepEqual([stateOf(s), s.tools], before);
    }
  });

  test("the filter may read the session but not change it", () => {
    const s = session();
    let seen;
    s.setContext({ toolFilter: (name) => ((seen = s.tokens), name === "read") });
    assert.ok(seen > 0);
    assert.throws(() => s.setContext({ memory: ["x"], toolFilter: () => (s.push(user("hm")), true) }), failsWith("INVALID_ARGUMENT", /was used/));
    assert.deepEqual(s.tools.map((t) => t.name), ["read"]);
    assert.ok(!JSON.stringify(s.view("messages")).includes("relevant_context"));
  });
});

describe("bad input changes nothing", () => {
  const wrong = [
    [{ memory: "text" }, "INVALID_ARGUMENT", /`memory`/],
    [{ memory: [1] }, "INVALID_ARGUMENT", /`memory`/],
    [{ memoryLimit: -1 }, "INVALID_ARGUMENT", /`memoryLimit`/],
    [{ memoryLimit: 1.5 }, "INVALID_ARGUMENT", /`memoryLimit`/],
    [{ memories: [] }, "INVALID_ARGUMENT", /memories/],
    [{ skills: [{}] }, "INVALID_ARGUMENT", /skills\[0\]/],
    [{ skills: ["pdf"] }, "INVALID_ARGUMENT", /skills\[0\]/],
    [{ skills: [{ name: "a", description: 5 }] }, "INVALID_ARGUMENT", /skills\[0\]/],
    [{ skills: {} }, "INVALID_ARGUMENT", /`skills`/],
    [{ toolFilter: "read" }, "INVALID_ARGUMENT", /`toolFilter`/],
    [{ injections: [user("a"), { role: "wizard", content: "b" }] }, "INVALID_MESSAGE", /1/],
    [{ injections: [{ role: "tool", tool_call_id: "x", content: "b" }] }, "INVALID_MESSAGE", /injection/],
    [{ injections: 5 }, "INVALID_ARGUMENT", /./],
    [undefined, "INVALID_ARGUMENT", /./],
    [[], "INVALID_ARGUMENT", /./],
    ["memory", "INVALID_ARGUMENT", /./],
  ];
  for (const [parts, code, why] of wrong)
    test(JSON.stringify(parts) ?? "undefined", () => {
      const session = new Session();
      session.push(user("Why?"));
      session.setContext(PARTS);
      const before = stateOf(session);
      assert.throws(() => session.setContext(parts), failsWith(code, why));
      assert.deepEqual(stateOf(session), before);
    });

  test("a tokenizer that throws", () => {
    const session = new Session({ tokenizer: (text) => { if (text.includes("boom")) throw new Error("boom"); return text.length; } });
    session.setContext(PARTS);
    const before = stateOf(session);
    assert.throws(() => session.setContext({ memory: ["boom"] }), failsWith("INVALID_ARGUMENT", /tokenizer/));
    assert.deepEqual(stateOf(session), before);
  });
});

describe("the ladder document", () => {
  const full = (options) => {
    const session = new Session({ contextWindow: 2000, ladder: "ladder", safetyMargin: 0, ...options });
    session.push([{ role: "system", content: "You are terse." }, ...conversation(2, 60)]);
    session.setContext({ ...PARTS, memory: [words(400)] });
    return session;
  };

  test("drops memory first; injections and history stay, and the next setContext restores memory", async () => {
    const session = full();
    const { report } = await session.prepare();
    assert.deepEqual(report.decisions.map((d) => d.pass), ["drop_memory_results"]);
    assert.deepEqual(report.context_cost, {
      limit: 2000,
      estimated_tokens: session.tokens,
      decisions: [{ pass: "drop_memory_results", attempt: 1, tokens_before: report.tokens_before, tokens_after: session.tokens }],
    });
    assert.ok(!part(report, "memory") && part(report, "injections") && part(report, "skills"));
    session.setContext({ injections: [user("Today is Saturday.")] });
    assert.ok(!JSON.stringify(session.view("messages")).includes("relevant_context"), "what was not named stays out");
    session.setContext({ memory: ["short"] });
    assert.ok(JSON.stringify(session.view("messages")).includes("<relevant_context>short"));
  });

  test("memory that no pass drops is reported as memory", async () => {
    await assert.rejects(full({ ladder: "spec", contextWindow: 400 }).prepare(), failsWith("BUDGET_IMPOSSIBLE", /context parts/));
    await assert.rejects(full({ contextWindow: 200 }).prepare(), failsWith("CONTEXT_WINDOW_EXCEEDED"));
  });

  test("an error reports the cost of the last estimate, and the view is unchanged", async () => {
    const session = full({ contextWindow: 300 });
    const before = stateOf(session);
    await assert.rejects(session.prepare(), (error) => {
      assert.equal(error.code, "CONTEXT_WINDOW_EXCEEDED");
      const { limit, estimated_tokens, decisions } = error.report.context_cost;
      assert.equal(limit, 300);
      assert.ok(estimated_tokens > 300 && estimated_tokens < session.tokens);
      assert.deepEqual([...new Set(decisions.map((d) => d.pass))], ["drop_memory_results", "shrink_turns"]);
      return true;
    });
    assert.deepEqual(stateOf(session), before);
  });

  test("later instructions join the base prompt, in every format", async () => {
    const session = new Session({ ladder: "ladder" });
    session.push([{ role: "system", content: "One." }, user("a"), { role: "developer", content: "Two." }, assistant("b")]);
    assert.equal(session.view("anthropic").system, "One.\n\nTwo.");
    assert.deepEqual(session.view("openai-chat").map((m) => m.role), ["system", "user", "assistant"]);
    const { report } = await session.prepare();
    assert.match(report.left_out[0].why, /base prompt/);
    session.setOptions({ ladder: "contextfold" });
    assert.deepEqual(session.view("messages").map((m) => m.role), ["system", "user", "developer", "assistant"]);
  });

  test("the summary is requested with a transcript and becomes a system message", async () => {
    let asked;
    const session = new Session({ contextWindow: 1500, ladder: "ladder", safetyMargin: 0, compaction: { summarizerWindow: 50_000 }, summarize: (request) => ((asked = request), "<summary>Two questions.</summary>") });
    session.push([{ role: "system", content: "You are terse." }, ...conversation(6, 60)]);
    const { messages, report } = await session.prepare();
    assert.deepEqual([asked.style, asked.messages.length, asked.reason], ["transcript", 1, "ladder"]);
    assert.match(asked.messages[0].content, /^<conversation>\nUser: question 0/);
    assert.equal(messages[1].content, "<summary>Two questions.</summary>");
    assert.equal(messages[1].role, "system");
    assert.ok(report.decisions.some((d) => d.pass === "auto_compact"));
    assert.ok(session.tokens <= 1500);
  });

  test("a summariser that throws, or whose answer is unusable, leaves everything as it was", async () => {
    for (const summarize of [() => { throw new Error("down"); }, () => "", async () => words(5000), () => 5]) {
      const session = new Session({ contextWindow: 1500, ladder: "ladder", safetyMargin: 0, summarize });
      session.push(conversation(6, 60));
      const before = stateOf(session);
      await assert.rejects(session.prepare(), /SUMMARY|summar/i);
      assert.deepEqual(stateOf(session), before);
    }
  });
});
