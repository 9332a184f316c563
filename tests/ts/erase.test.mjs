// An erased message leaves no trace: not in history, view, summaries, cache, snapshot or store.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, check } from "contextfold";
import { memoryStore } from "contextfold/stores/memory";
import { call, failsWith } from "../support/session.mjs";

const secret = (n) => `quixotic-${n}-zephyr`;

/** A turn of four messages, each with its own secret. */
const turn = (n) => [
  { role: "user", content: `Never touch ${secret(4 * n)}, and read src/file${n}.rs.` },
  { role: "assistant", content: "", tool_calls: [call(`call_${n}`, "bash", JSON.stringify({ command: `cat ${secret(4 * n + 1)}` }))] },
  { role: "tool", tool_call_id: `call_${n}`, content: `${secret(4 * n + 2)}\n${"a line of the file\n".repeat(40 + (n % 3) * 60)}` },
  { role: "assistant", content: `It says ${secret(4 * n + 3)}.` },
];

/** A session with nested folds, and the ids of the pushed messages. */
async function folded(options = {}) {
  let said = 0;
  const summarize = () => `<summary>\n## Progress\nThey said ${Array.from({ length: 4 * said }, (_, n) => secret(n)).join(" ")}.\n</summary>`;
  const session = new Session({ contextWindow: 2_000, toolOutputCache: { maxMessageBytes: 1_500 }, summarize, ...options });
  const ids = [];
  for (let n = 0; n < 14; n++) {
    ids.push(...session.push(turn(n)));
    said = n;
    await session.prepare();
  }
  assert.ok(session.folds().length > 1, "it folded");
  return { session, ids };
}

const holds = (bytes, text) => Buffer.from(bytes).includes(text);

test("an erased message is gone everywhere, and the view stays valid", async () => {
  const { session, ids } = await folded();
  session.pin({ id: ids[4], text: secret(4) });
  for (const [n, id] of ids.entries()) {
    session.erase(id);
    const shown = JSON.stringify(session.view("openai-chat"));
    assert.ok(!shown.includes(secret(n)), `${n}: ${shown}`);
    assert.ok(!holds(session.snapshot(), secret(n)), `${n} is still in the snapshot`);
    assert.deepEqual(check("openai-chat", session.view("openai-chat")).filter(({ severity }) => severity === "error"), []);
    assert.deepEqual(check("anthropic", session.view("anthropic")).filter(({ severity }) => severity === "error"), []);
  }
  await session.prepare();
  assert.ok(session.tokens <= session.limit);
});

test("rules stated by other folded messages stay in the view", async () => {
  const { session, ids } = await folded();
  const shown = () => JSON.stringify(session.view("messages"));
  const rules = Array.from({ length: 14 }, (_, n) => secret(4 * n)).filter((rule) => shown().includes(`touch ${rule}`));
  const at = ids.findIndex((id, n) => n % 4 === 0 && rules.includes(secret(n)) && session.folds().some(({ items }) => items.includes(id)));
  session.erase(ids[at]);
  const left = rules.filter((rule) => rule !== secret(at));
  assert.ok(left.length > 4);
  assert.deepEqual(left.filter((rule) => !shown().includes(`touch ${rule}`)), []);
  assert.ok(!shown().includes(secret(at)));
});

test("folds that contained it say that they were rewritten", async () => {
  const { session, ids } = await folded();
  const folds = session.erase(ids[0]);
  assert.ok(folds.length > 0);
  for (const { id, summary } of session.folds()) assert.equal(folds.includes(id), summary.includes("without an erased message"), summary);
});

test("the store has no trace of it after the next save, and neither has another process", async () => {
  const store = memoryStore();
  const { session, ids } = await folded({ store });
  await session.save(store, "chat");
  const other = await Session.load(store, "chat");
  session.push(turn(90));
  await session.save(store, "chat");
  assert.ok(await stored(store, secret(1)));
  session.erase(ids[1]);
  await session.save(store, "chat");
  assert.ok(!(await stored(store, secret(1))));
  assert.equal(await other.refresh(), true);
  assert.ok(!holds(other.snapshot(), secret(1)));
  assert.deepEqual(other.view("openai-chat"), session.view("openai-chat"));
});

test("syncing the caller's own list still works", async () => {
  const list = [...turn(0), ...turn(1)];
  const session = new Session({ contextWindow: 100_000 });
  session.sync("messages", list);
  const [first] = session.items().map(({ id }) => id);
  session.erase(first);
  const { added, diverged_at } = session.sync("messages", [...list, { role: "user", content: "Go on." }]);
  assert.deepEqual({ added, diverged_at }, { added: 1, diverged_at: null });
  assert.ok(!JSON.stringify(session.messages).includes(secret(0)));
});

test("a run that waits for a summary of it fails, and the next one does not tell of it", async () => {
  for (const how of ["prepare", "compact", "apply"]) {
    let asked = () => {};
    const told = [];
    const summarize = ({ messages }) => {
      told.push(JSON.stringify(messages).includes(secret(0)));
      return new Promise((resolve) => asked(() => resolve(`<summary>They said ${told.at(-1) ? secret(0) : "nothing"}.</summary>`)));
    };
    const session = new Session({ contextWindow: 3_000, safetyMargin: 0, summarize });
    const [id] = session.push({ role: "user", content: `${secret(0)} ${"word ".repeat(1_500)}` });
    for (let n = 0; n < 14; n++) session.push([{ role: "assistant", content: "word ".repeat(500) }, { role: "user", content: "word ".repeat(80) }]);
    const waits = new Promise((resolve) => (asked = resolve));
    const run = how === "apply" ? session.plan().apply() : session[how]();
    const answer = await waits;
    session.erase(id);
    answer();
    await assert.rejects(run, failsWith("STALE_PLAN", /erased/));
    asked = (answer) => answer();
    await session.prepare();
    assert.deepEqual([told[0], told.slice(1).includes(true), session.folds().length > 0], [true, false, true], how);
    assert.ok(!holds(session.snapshot(), secret(0)) && session.search(secret(0)).length === 0, how);
  }
});

test("what cannot be erased is refused, and nothing changes", async () => {
  const { session } = await folded();
  const before = session.snapshot();
  for (const id of ["nobody", session.folds()[0].id]) assert.throws(() => session.erase(id), failsWith("INVALID_ARGUMENT"));
  assert.deepEqual(session.snapshot(), before);
});

async function stored(store, text) {
  const keys = await store.getKeys();
  const items = await Promise.all(keys.map((key) => store.getItemRaw(key)));
  return items.some((item) => item && holds(typeof item === "string" ? Buffer.from(item) : item, text));
}

test("a message that shared an object with others is removed from it, in its original format", () => {
  const session = new Session({ contextWindow: 6_000 });
  session.pushFrom("anthropic", [
    { role: "user", content: "Run it." },
    { role: "assistant", content: [{ type: "tool_use", id: "call", name: "run", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call", content: "done" }, { type: "text", text: "My number is 555." }] },
  ]);
  assert.match(JSON.stringify(session.view("anthropic")), /555/);
  session.erase(session.messages.at(-1).id);
  for (const format of ["anthropic", "messages", "openai-chat"]) {
    const shown = JSON.stringify(session.view(format));
    assert.ok(!shown.includes("555") && shown.includes("done"), format);
  }
});

test("the output of an erased call of another kind answers the function call that it became, and after a restore, too", () => {
  const s = new Session();
  s.pushFrom("openai-responses", [
    { role: "user", content: "Go on." },
    { type: "computer_call", id: "cu_1", call_id: "c1", action: { type: "type", text: "hunter2" }, pending_safety_checks: [], status: "completed" },
    { type: "computer_call_output", call_id: "c1", output: { type: "computer_screenshot", image_url: "data:image/png;base64,iVBORw0KGgo=" } },
    { role: "user", content: "Thanks." },
  ]);
  s.erase("m2");
  const { input } = s.view("openai-responses");
  assert.deepEqual(check("openai-responses", input), []);
  assert.deepEqual(input[2], { type: "function_call_output", call_id: "c1", output: [{ type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" }] });
  assert.deepEqual(Session.restore(s.snapshot()).view("openai-responses").input, input);
});
