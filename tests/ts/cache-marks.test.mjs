// view("anthropic", { cacheMarks }): marks at the ends of stable parts, none twice, never more than the API accepts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, check } from "contextfold";

const MARK = { type: "ephemeral" };
const words = (n, of = "word") => `${of} `.repeat(n);

/** A conversation in Anthropic's format with that many steps and a system prompt of 2,000 words. */
function agent(steps, { system = words(2000), ...options } = {}) {
  const session = new Session({ contextWindow: 200_000, summarize: () => "<summary>the gist</summary>", ...options });
  session.pushFrom("anthropic", { system, messages: [{ role: "user", content: words(1500, "find") }] });
  for (let n = 0; n < steps; n++)
    session.pushFrom("anthropic", [
      { role: "assistant", content: [{ type: "tool_use", id: `t${n}`, name: "read", input: { n } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content: words(300, `line${n}`) }] },
    ]);
  return session;
}

/** Where a body's marks are: "system", or the index of an entry. */
const marksOf = ({ system, messages }) => [
  ...(Array.isArray(system) && system.some((block) => block.cache_control) ? ["system"] : []),
  ...messages.flatMap(({ content }, at) => (Array.isArray(content) ? content : []).filter((block) => block.cache_control).map(() => at)),
];
const bare = (body) => JSON.parse(JSON.stringify(body), (_, value) => (value && typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== "cache_control")) : value));

test("the system prompt, the step before the newest and the end of the view are marked, in copies", () => {
  const session = agent(4);
  const plain = session.view("anthropic");
  const body = session.view("anthropic", { cacheMarks: 4 });
  assert.deepEqual(marksOf(body), ["system", body.messages.length - 3, body.messages.length - 1], "the last two entries are the newest step");
  for (const at of [-3, -1]) assert.deepEqual(body.messages.at(at).content.at(-1).cache_control, MARK);
  assert.deepEqual(check("anthropic", body), []);
  assert.deepEqual(marksOf(plain), [], "the view without them is as it was");
  assert.deepEqual(marksOf(session.view("anthropic")), []);
  assert.deepEqual(bare(body).messages, plain.messages);
});

test("the prefix up to one call's last mark is marked again in the next call, before its newest step", () => {
  const session = agent(3);
  const first = session.view("anthropic", { cacheMarks: 1 });
  assert.deepEqual(marksOf(first), [first.messages.length - 1]);
  session.pushFrom("anthropic", [
    { role: "assistant", content: [{ type: "tool_use", id: "next", name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "next", content: "short" }] },
  ]);
  const body = session.view("anthropic", { cacheMarks: 2 });
  assert.deepEqual(marksOf(body), [first.messages.length - 1, body.messages.length - 1]);
  assert.deepEqual(bare(body).messages.slice(0, first.messages.length), bare(first).messages);
});

test("the newest summary is marked too, and session.cacheMarks says how much of the view is covered", async () => {
  const session = agent(12);
  session.pushFrom("anthropic", [{ role: "assistant", content: "found" }, { role: "user", content: "and mend it" }]);
  await session.compact();
  for (let n = 0; n < 3; n++)
    session.pushFrom("anthropic", [
      { role: "assistant", content: [{ type: "tool_use", id: `u${n}`, name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `u${n}`, content: words(200) }] },
    ]);
  const body = session.view("anthropic", { cacheMarks: 4 });
  const marks = session.cacheMarks;
  assert.deepEqual(marks.map((mark) => mark.part), ["system", "summary", "step", "end"]);
  assert.equal(marksOf(body).length, 4);
  assert.ok(JSON.stringify(body.messages[marksOf(body)[1]]).includes("the gist"));
  const newest = session.items().slice(-2).reduce((sum, item) => sum + item.tokens, 0);
  assert.equal(marks[2].tokens, session.tokens - newest);
  assert.equal(marks[3].tokens, session.tokens);
  assert.ok(marks[0].tokens < marks[1].tokens && marks[1].tokens < marks[2].tokens);
});

test("at most the requested number of marks, those that cover most first", () => {
  const session = agent(4);
  session.view("anthropic", { cacheMarks: 1 });
  assert.deepEqual(session.cacheMarks.map((mark) => mark.part), ["end"]);
  assert.deepEqual(marksOf(session.view("anthropic", { cacheMarks: 0 })), []);
});

test("the caller's own marks stay and count: never more than four, none twice", () => {
  const own = (text) => ({ role: "user", content: [{ type: "text", text, cache_control: MARK }] });
  const session = agent(0, { system: [{ type: "text", text: words(2000), cache_control: MARK }] });
  for (let n = 0; n < 2; n++) session.pushFrom("anthropic", [{ role: "assistant", content: `said ${n}` }, own(words(400, `ask${n}`))]);
  session.pushFrom("anthropic", [{ role: "assistant", content: "on" }, { role: "user", content: "go" }]);
  const body = session.view("anthropic", { cacheMarks: 4 });
  assert.deepEqual(marksOf(body), [...marksOf(session.view("anthropic")), body.messages.length - 1], "the system prompt and the step before the newest have theirs");
  assert.deepEqual(session.cacheMarks.map((mark) => mark.part), ["end"]);
  session.pushFrom("anthropic", [{ role: "assistant", content: "well" }, own("one more"), { role: "assistant", content: "so" }, { role: "user", content: "on" }, { role: "assistant", content: "so" }, { role: "user", content: "last" }]);
  assert.equal(marksOf(session.view("anthropic", { cacheMarks: 4 })).length, 4, "four are the caller's");
});

test("parts too short to be cached get no mark", () => {
  assert.deepEqual(marksOf(agent(0).view("anthropic", { cacheMarks: 4 })), ["system", 0]);
  const short = new Session({ contextWindow: 100_000 });
  short.pushFrom("anthropic", { system: "Be brief.", messages: [{ role: "user", content: "hi" }, { role: "assistant", content: "hi" }, { role: "user", content: "on" }] });
  assert.deepEqual(marksOf(short.view("anthropic", { cacheMarks: 4 })), []);
});

test("thinking takes no mark; the block before it does", () => {
  const session = agent(0);
  session.pushFrom("anthropic", [
    { role: "assistant", content: [{ type: "text", text: "hm" }] },
    { role: "user", content: words(100) },
    { role: "assistant", content: [{ type: "thinking", thinking: "so", signature: "s" }, { type: "tool_use", id: "a", name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] },
  ]);
  const body = session.view("anthropic", { cacheMarks: 4 });
  assert.deepEqual(marksOf(body), ["system", 2, 4]);
  assert.deepEqual(body.messages[2].content.at(-1).cache_control, MARK, "a text becomes a block with a mark");
});

test("bad options are refused", () => {
  const session = agent(1);
  const refused = (options, format = "anthropic") => assert.throws(() => session.view(format, options), { code: "INVALID_ARGUMENT" });
  for (const cacheMarks of [5, -1, 1.5, "2", {}, true]) refused({ cacheMarks });
  refused({ cacheMarks: 1 }, "openai-chat");
  refused({ cacheMark: 1 });
});
