// `contextfold/proxy` with the real Claude Agent SDK: its program runs against a server on 127.0.0.1 that behaves like Anthropic's API.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ContextError, countTokens } from "contextfold";
import { compactionHooks } from "contextfold/claude-agent";
import { startProxy } from "contextfold/proxy";
import { install } from "../../scripts/lib/installed.mjs";
import { provider } from "./support/provider.mjs";
import { ANSWER, SUMMARY, TASK, assertFits, failingSummary, outputOf, warnings } from "./support/work.mjs";

install("tests/integrations/claude-agent");
const { query } = await import("./claude-agent/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs");

/** The program reserves 32,000 tokens for each answer; that much of the window is kept free, which leaves 14,000 tokens. */
const WINDOW = 46_000;
const LIMIT = WINDOW - 32_000;

/** Files to read, and a server that asks for one after the other. */
async function work(t, { calls, ...settings }) {
  const folder = mkdtempSync(join(tmpdir(), "contextfold-"));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (let n = 0; n < calls; n++) writeFileSync(join(folder, `${n}.log`), outputOf(n));
  const server = await provider({ calls, window: LIMIT, tool: (n) => ({ name: "Read", input: { file_path: join(folder, `${n}.log`) } }), ...settings });
  t.after(() => server.close());
  const env = { PATH: process.env.PATH, HOME: folder, CLAUDE_CONFIG_DIR: join(folder, "claude"), ANTHROPIC_API_KEY: "sk-the-clients-own-key", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", CLAUDE_CODE_MAX_RETRIES: "1" };
  return { server, folder, env };
}

/** All messages of a query, by kind. */
async function told({ folder, env }, url, { prompt = TASK, ...more } = {}) {
  const options = { cwd: folder, model: "claude-opus-4-5", tools: ["Read"], allowedTools: ["Read"], settingSources: [], thinking: { type: "disabled" }, settings: { autoCompactEnabled: false }, env: { ...env, ANTHROPIC_BASE_URL: url }, ...more };
  const messages = [];
  // After an answer with an error the SDK throws, following its last message.
  try {
    for await (const message of query({ prompt, options })) messages.push(message);
  } catch (error) {
    messages.push({ type: "thrown", error });
  }
  const of = (type) => messages.filter((message) => message.type === type);
  return { messages, of, result: of("result").at(-1), boundaries: of("system").filter(({ subtype }) => subtype === "compact_boundary") };
}

async function proxied(t, options) {
  const proxy = await startProxy(options);
  t.after(() => proxy.close());
  return proxy;
}

describe("the Claude Agent SDK", () => {
  test("without the proxy, its requests exceed the window", async (t) => {
    const { server, ...place } = await work(t, { calls: 60 });
    const { result } = await told(place, server.url);
    assert.ok(server.refused > 0);
    assert.notEqual(result?.result, ANSWER);
  });

  test("two hundred calls: every request fits, none is refused or lost, and a failing summary stops nothing", async (t) => {
    const summary = failingSummary((nth) => nth % 3 === 2);
    const { server, ...place } = await work(t, { calls: 200, summary });
    const proxy = await proxied(t, { upstream: server.url, contextWindow: WINDOW, onError: () => {} });
    const { result, boundaries, of } = await told(place, proxy.url);
    assert.deepEqual([result.subtype, result.result, boundaries.length], ["success", ANSWER, 0]);
    assert.deepEqual([server.bodies.length, server.refused], [201, 0]);
    for (const body of server.bodies) assertFits("anthropic", body, { limit: LIMIT });
    assert.equal(JSON.stringify(of("user")).match(/E0\d+\]: mismatched types/g).length / 12 >= 200, true, "the program's own list is whole");
    assert.ok(JSON.stringify(server.bodies.at(-1)).includes("Never edit src/generated"));
    assert.ok(summary.asked >= 3, `${summary.asked} summaries`);
    assert.ok(server.heads.every((head) => head["x-api-key"] === place.env.ANTHROPIC_API_KEY));
    const { conversations, requests } = proxy.reports();
    assert.deepEqual([conversations.length, conversations[0].calls, conversations[0].limit, requests.made_smaller], [1, 201, LIMIT, 0]);
    assert.ok(conversations[0].edits > 3);
  });

  test("an unknown window is learnt from a refusal that the program does not see; a resumed conversation is the same", async (t) => {
    const { server, ...place } = await work(t, { calls: 40 });
    const proxy = await proxied(t, { upstream: server.url, extractive: true });
    const model = "of-nobody";
    const first = await told(place, proxy.url, { model });
    assert.deepEqual([first.result.result, server.refused, server.bodies.length], [ANSWER, 1, 41]);
    const { session_id } = first.result;
    const second = await told(place, proxy.url, { model, resume: session_id, prompt: "And now?" });
    assert.deepEqual([second.result.result, server.refused], [ANSWER, 1]);
    const { conversations } = proxy.reports();
    assert.deepEqual([conversations.length, conversations[0].calls, conversations[0].made_smaller], [1, 42, 1]);
  });

  test("its own /compact is passed through, and the conversation goes on after it", async (t) => {
    const { server, ...place } = await work(t, { calls: 12, summary: SUMMARY });
    const proxy = await proxied(t, { upstream: server.url, contextWindow: WINDOW });
    const { result } = await told(place, proxy.url);
    const compacted = await told(place, proxy.url, { resume: result.session_id, prompt: "/compact" });
    assert.equal(compacted.boundaries.length, 1);
    const after = await told(place, proxy.url, { resume: result.session_id, prompt: "And now?" });
    assert.equal(after.result.result, ANSWER);
    assert.ok(countTokens(server.bodies.at(-1)) < countTokens(server.bodies.at(-2)));
    assert.equal(server.refused, 0);
  });

  test("the guide's examples run as written", async (t) => {
    const { server, ...place } = await work(t, { calls: 0 });
    const guide = readFileSync(new URL("../../docs/claude-agent-sdk.md", import.meta.url), "utf8");
    const examples = [...guide.matchAll(/^```mjs\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
    const printed = [];
    for (const code of examples) {
      const file = fileURLToPath(new URL(`./claude-agent/guide-${process.pid}.mjs`, import.meta.url));
      t.after(() => rmSync(file, { force: true }));
      writeFileSync(file, code);
      printed.push((await promisify(execFile)(process.execPath, [file], { cwd: place.folder, env: { ...place.env, ANTHROPIC_BASE_URL: server.url } })).stdout);
    }
    assert.equal(printed.length, 2);
    assert.match(printed[0], /^success\n.+: 0 of 1 calls were changed; \d+ of \d+ tokens\n$/);
    assert.equal(printed[1], "success\n");
  });
});

describe("compactionHooks", () => {
  /** A query whose program believes that its window is full after a few calls, and compacts by itself. */
  const compacting = async (t, hooks) => {
    const { server, ...place } = await work(t, { calls: 10, perToken: 14, window: Infinity, summary: "<summary>The build fails.</summary>" });
    const { result, boundaries } = await told(place, server.url, { settings: { autoCompactEnabled: true, autoCompactWindow: 100_000 }, hooks });
    assert.deepEqual([result.result, boundaries[0]?.compact_metadata.trigger], [ANSWER, "auto"]);
    return { server, place, last: JSON.stringify(server.bodies.at(-1)) };
  };

  test("without them, facts that the summary omits are gone", async (t) => {
    const { last } = await compacting(t, {});
    assert.ok(!last.includes("Never edit src/generated"));
  });

  test("after the program's own compaction, the model has the user's rules and the files that were read", async (t) => {
    const { server, last } = await compacting(t, compactionHooks({ strict: true }));
    assert.ok(server.asked.length > 0);
    for (const fact of ["Never edit src/generated", "TICKET-4711", "0.log"]) assert.ok(last.includes(fact), fact);
    assert.ok(!JSON.stringify(server.bodies[1]).includes("before it was compacted"), "not before");
  });

  test("the record is as long as it may be", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "contextfold-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const transcript_path = join(folder, "session.jsonl");
    const said = Array.from({ length: 300 }, (_, n) => [
      { role: "user", content: `Never edit src/module${n}/generated.rs, and look at https://example.com/issues/${n} with care.` },
      { role: "assistant", content: [{ type: "text", text: `Done with src/module${n}/main.rs, error E0${300 + n} is mended.` }] },
    ]).flat();
    writeFileSync(transcript_path, said.map((message, n) => JSON.stringify({ type: message.role, message, uuid: `u${n}`, parentUuid: n ? `u${n - 1}` : null, sessionId: "s", isSidechain: false, timestamp: "2026-01-01T00:00:00Z" })).join("\n"));
    for (const maxTokens of [500, undefined]) {
      const { hookSpecificOutput } = await compactionHooks({ maxTokens, strict: true }).SessionStart[0].hooks[0]({ transcript_path });
      const tokens = countTokens(hookSpecificOutput.additionalContext);
      const most = maxTokens ?? 2000;
      assert.ok(tokens > most / 2 && tokens < most * 1.2, `${tokens} of ${most} tokens`);
      assert.ok(hookSpecificOutput.additionalContext.length <= 10_000, "Claude Code shows all of it to the model");
    }
  });

  test("if it fails the agent goes on, and the failure is reported once; a wrong option is refused at once", async () => {
    const hookOf = (options) => compactionHooks(options).SessionStart[0].hooks[0];
    const missing = { transcript_path: join(tmpdir(), "missing.jsonl") };
    const { result, said } = await warnings(async () => {
      const hook = hookOf();
      return [await hook(missing), await hook(missing)];
    });
    assert.deepEqual([result, said.length], [[{}, {}], 1]);
    assert.match(said[0], /^contextfold \(claude-agent\): no record was added.*ENOENT/);
    const heard = [];
    assert.deepEqual(await hookOf({ onError: (error) => (heard.push(error.code), assert.fail()) })(missing), {});
    assert.deepEqual(heard, ["ENOENT"]);
    await assert.rejects(hookOf({ strict: true })(missing), /ENOENT/);
    assert.throws(() => compactionHooks({ maxToken: 5 }), /did you mean `maxTokens`/);
    assert.throws(() => compactionHooks({ maxTokens: -1 }), ContextError);
    assert.throws(() => compactionHooks({ onError: 1 }), /onError/);
  });

  test("its types match those of the SDK", () => promisify(execFile)(process.execPath, [fileURLToPath(new URL("./node_modules/typescript/bin/tsc", import.meta.url)), "--project", fileURLToPath(new URL("./claude-agent", import.meta.url))]).catch(({ stdout }) => assert.fail(stdout)));
});

describe("startProxy", () => {
  const wrong = (options) => startProxy(options).then(
    () => assert.fail("it starts"),
    (error) => (assert.ok(ContextError.isInstance(error), `${error}`), assert.equal(error.code, "INVALID_CONFIG"), error.message),
  );

  test("a wrong option is refused at once", async () => {
    const upstream = "https://api.anthropic.com";
    assert.match(await wrong(), /^upstream: undefined is not a URL/);
    assert.match(await wrong(null), /expected an object/);
    assert.match(await wrong({ upstream: "api.anthropic.com" }), /^upstream: api\.anthropic\.com is not a URL/);
    assert.match(await wrong({ upstream: "ftp://host" }), /^upstream: ftp:\/\/ is not supported/);
    assert.match(await wrong({ upstream: "https://user:secret@host" }), /^upstream: leave out user/);
    assert.match(await wrong({ upstream, contextWindows: 5 }), /did you mean `contextWindow`/);
    assert.match(await wrong({ upstream, contextWindow: -1 }), /contextWindow/);
    assert.match(await wrong({ upstream, ladder: "rollin" }), /rolling/);
    assert.match(await wrong({ upstream, onError: 5 }), /onError/);
    const first = await startProxy({ upstream });
    assert.match(await wrong({ upstream, port: Number(new URL(first.url).port) }), /port is already in use/);
    await first.close();
  });

  test("failures are reported; it ends when closed, also from CommonJS", async () => {
    const { startProxy: same } = createRequire(import.meta.url)("contextfold/proxy");
    const failed = [];
    const proxy = await same({ upstream: new URL("http://127.0.0.1:1"), onError: (error) => (failed.push(error), assert.fail("an observer's trouble")) });
    assert.deepEqual(proxy.env, { ANTHROPIC_BASE_URL: proxy.url, OPENAI_BASE_URL: `${proxy.url}/v1` });
    const answer = await fetch(`${proxy.url}/v1/messages`, { method: "POST", body: JSON.stringify({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "hello" }] }) });
    assert.equal(answer.status, 502);
    await answer.text();
    assert.deepEqual([failed.length, proxy.reports().requests.failed], [1, 1]);
    await Promise.all([proxy.close(), proxy.close()]);
    await assert.rejects(fetch(proxy.url));
  });
});
