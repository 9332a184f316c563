// `contextfold/opencode`: its hooks, called as opencode 1.18 calls them, in every run; and the real program, if it is installed.
// The tests do not install it (180 MB per platform): `OPENCODE_BIN=…/opencode node tests/integrations/run.mjs opencode`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Session } from "contextfold";
import { plugin } from "contextfold/opencode";
import { runOpencode } from "./support/opencode-host.mjs";
import { provider } from "./support/provider.mjs";
import { ANSWER, CALLS, FOLDS, OPTIONS, TASK, WINDOW, assertKept, failingSummary, outputOf, warnings } from "./support/work.mjs";

const STRICT = { ...OPTIONS, strict: true };
const NOTHING = async () => ({});
const limit = { context: WINDOW, output: 500 };

async function served(t, options) {
  const server = await provider({ summary: "It fails with E0308. Never edit src/generated.", ...options });
  t.after(() => server.close());
  return server;
}

const run = (server, hook, more) => runOpencode(hook, { url: server.url, prompt: TASK, execute: ({ n }) => outputOf(n), limit, ...more });

function assertWhole(messages, calls = CALLS) {
  const outputs = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool").map(({ state }) => state.output));
  assert.deepEqual(outputs, Array.from({ length: calls }, (_, n) => outputOf(n)));
  assert.equal(messages.at(-1).parts.find(({ type }) => type === "text").text, ANSWER);
}

describe("the hooks of a plugin", () => {
  test("without them, opencode has to compact", async (t) => {
    const server = await served(t, { window: WINDOW });
    await run(server, NOTHING);
    assert.ok(server.summaries > 0);
  });

  test("each request fits and is valid, opencode never has to compact, and its session is whole", async (t) => {
    const server = await served(t, { window: WINDOW });
    const passes = [];
    const { messages } = await run(server, plugin({ strict: true, onReport: ({ decisions }) => passes.push(...decisions.map(({ pass }) => pass)) }));
    assertKept("openai-chat", server.bodies);
    assert.equal(server.refused + server.summaries, 0);
    assertWhole(messages);
    assert.ok(passes.includes("summarize"), `${passes}`);
  });

  test("200 calls, and a summary that throws midway: none is refused or lost", async (t) => {
    const server = await served(t, { window: WINDOW, calls: 200 });
    const errors = [];
    const summarize = failingSummary();
    const { messages } = await run(server, plugin({ summarize, onError: (error) => errors.push(error) }));
    assert.ok(summarize.asked > 7, `${summarize.asked} summaries`);
    assert.equal(server.refused + server.summaries, 0);
    assertKept("openai-chat", server.bodies, { calls: 200 });
    assertWhole(messages, 200);
    assert.ok(errors.length > 0);
  });

  test("a second prompt keeps the fold, and another session is another conversation", async (t) => {
    const server = await served(t, { window: WINDOW });
    let summaries = 0;
    const hook = plugin({ ...STRICT, ladder: FOLDS, summarize: () => (summaries++, "<summary>The build fails. Never edit src/generated.</summary>") });
    const hooks = await hook({ client: undefined }); // one plugin for all sessions, as in opencode
    const { messages, sessionID } = await run(server, async () => hooks);
    const before = summaries;
    await run(server, async () => hooks, { messages, sessionID, prompt: "And now?" });
    assert.ok(before > 0 && summaries === before);
    assert.match(JSON.stringify(server.bodies.at(-1)), /The build fails\. Never.*And now\?/);
    await run(server, async () => hooks, { prompt: "Something else." });
    assert.doesNotMatch(JSON.stringify(server.bodies.at(-1)), /The build fails/);
  });

  test("if the model accepts less than it claims, opencode compacts once, with a request that fits", async (t) => {
    const server = await served(t, { window: WINDOW / 2 });
    const { messages } = await run(server, plugin({ strict: true }));
    assert.equal(server.summaries, 1);
    assert.equal(server.refused, 1, "learnt, not tried");
    assert.equal(server.bodies.length, CALLS + 1);
    assert.equal(messages.at(-1).parts.find(({ type }) => type === "text").text, ANSWER);
  });

  test("a session of many windows is compacted with a request that fits", async (t) => {
    const server = await served(t, { window: WINDOW });
    const whole = await served(t, { calls: 100 });
    const hooks = await plugin({ strict: true, ...OPTIONS })({});
    const { messages, sessionID } = await run(whole, async () => hooks);
    const list = structuredClone(messages);
    await hooks["experimental.chat.messages.transform"]({}, { messages: list });
    assert.ok(JSON.stringify(list).length < JSON.stringify(messages).length / 4);
    assert.match(JSON.stringify(list), /Never edit src\/generated/);
    assert.equal(server.refused, 0);
  });

  test("messages that no pass changed are the same objects; of a cut message, the other parts are", async (t) => {
    const whole = await served(t, { calls: 30 });
    const { messages } = await run(whole, NOTHING, { limit: { context: 1_000_000, output: 500 } });
    const list = [...messages];
    await (await plugin(STRICT)({}))["experimental.chat.messages.transform"]({}, { messages: list });
    const same = list.filter((message) => messages.includes(message));
    assert.ok(same.length > 4 && same.length < list.length, `${same.length} of ${list.length}`);
    assert.equal(list.at(-1), messages.at(-1));
    const known = new Set(messages.flatMap(({ parts }) => parts));
    const cut = list.find(({ info, parts }) => info.role === "assistant" && parts.some((part) => part.type === "tool" && !known.has(part)));
    assert.ok(known.has(cut.parts[0]) && known.has(cut.parts.at(-1)));
    assert.match(cut.parts.find(({ type }) => type === "tool").state.output, /left out/);
  });

  test("images stay, notes that opencode does not send are not counted, and a failed answer is not a call without output", async () => {
    const hooks = await plugin({ ...STRICT, contextWindow: 3_000 })({});
    const part = (id, more) => ({ id, sessionID: "s", messageID: "m", ...more });
    const model = { providerID: "local", modelID: "m" };
    const list = [
      { info: { id: "m1", sessionID: "s", role: "user", model }, parts: [part("p1", { type: "text", text: TASK }), part("p2", { type: "text", text: "noise ".repeat(50_000), ignored: true }), part("p3", { type: "file", mime: "image/png", url: "data:image/png;base64,aGVsbG8=" })] },
      { info: { id: "m2", sessionID: "s", role: "assistant", ...model, error: { name: "APIError", data: {} } }, parts: [part("p4", { type: "tool", tool: "build", callID: "lost", state: { status: "running", input: {} } })] },
      { info: { id: "m3", sessionID: "s", role: "assistant", ...model }, parts: [part("p5", { type: "tool", tool: "shot", callID: "c", state: { status: "completed", input: {}, output: "seen", title: "", metadata: {}, time: {}, attachments: [part("p6", { type: "file", mime: "image/png", url: "data:image/png;base64,aGVsbG8=" })] } })] },
    ];
    const before = [...list];
    await hooks["experimental.chat.messages.transform"]({}, { messages: list });
    assert.deepEqual(list, before);
  });

  test("an internal failure leaves opencode running, and is reported once", async (t) => {
    const server = await served(t);
    const { result, said } = await warnings(() => run(server, plugin({ contextWindow: 200_000, tokenizer: () => NaN }), { limit: { context: 200_000, output: 500 } }));
    assertWhole(result.messages);
    assert.equal(server.bodies.at(-1).messages.length, 2 + 2 * CALLS);
    assert.equal(said.length, 1);
  });

  test("strict: an internal failure fails the run", async (t) => {
    const failing = run(await served(t), plugin({ ...STRICT, ladder: FOLDS, summarize: () => Promise.reject(new Error("no model")) }));
    await assert.rejects(failing, /summarize callback failed/);
  });

  test("the usage that opencode stores corrects the counts", async (t) => {
    const server = await served(t, { perToken: 1.5 });
    const session = new Session({ contextWindow: WINDOW * 2, tokenizer: "bytes/4" });
    await run(server, plugin({ session, strict: true }), { limit: { context: WINDOW * 8, output: 500 } });
    assert.ok(session.report.counter.calibration > 1.2, `${session.report.counter.calibration}`);
  });

  test("wrong options are refused at once", () => {
    assert.throws(() => plugin({ contextWindows: 1 }), { code: "INVALID_CONFIG" });
  });
});

const program = process.env.OPENCODE_BIN;

describe("the real opencode", { skip: program ? false : "OPENCODE_BIN does not say where it is" }, () => {
  test("without the plugin, it compacts", async (t) => {
    const server = await served(t, { window: WINDOW, isSummary: (body) => body.tools === undefined });
    await opencode(t, server);
    assert.ok(server.summaries > 0);
  });

  test("each request fits and is valid, and it never compacts", async (t) => {
    const server = await served(t, { window: WINDOW, isSummary: (body) => body.tools === undefined });
    const events = await opencode(t, server, "plugin({ strict: true })");
    assertKept("openai-chat", server.bodies);
    assert.equal(server.refused + server.summaries, 0);
    const outputs = events.filter(({ type }) => type === "tool_use").map(({ part }) => part.state.output);
    assert.deepEqual(outputs, Array.from({ length: CALLS }, (_, n) => outputOf(n)));
  });

  test("if the model accepts less than it claims, it compacts once, and goes on", async (t) => {
    const server = await served(t, { window: WINDOW * 0.75, isSummary: (body) => body.tools === undefined });
    const events = await opencode(t, server, "plugin()");
    assert.equal(server.refused, 1);
    assert.equal(server.summaries, 1);
    assert.equal(events.findLast(({ type }) => type === "text").part.text, ANSWER);
  });
});

/** Runs the program in its own folder, with or without the plugin, and returns the events that it writes. */
async function opencode(t, server, ours) {
  const folder = mkdtempSync(`${tmpdir()}/opencode-`);
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const modules = fileURLToPath(new URL("node_modules", import.meta.url));
  symlinkSync(modules, `${folder}/node_modules`);
  // It installs its plugin's types into each folder of its configuration, unless they are listed there.
  const dependencies = { "@opencode-ai/plugin": "1" };
  for (const place of [".opencode", "config/opencode", "home/.opencode"]) {
    mkdirSync(`${folder}/${place}/node_modules`, { recursive: true });
    writeFileSync(`${folder}/${place}/package.json`, JSON.stringify({ dependencies }));
    writeFileSync(`${folder}/${place}/package-lock.json`, JSON.stringify({ lockfileVersion: 3, packages: { "": { dependencies } } }));
  }
  mkdirSync(`${folder}/.opencode/plugin`);
  if (ours) writeFileSync(`${folder}/.opencode/plugin/contextfold.js`, `import { plugin } from "contextfold/opencode";\nexport default ${ours};\n`);
  const work = pathToFileURL(fileURLToPath(new URL("support/work.mjs", import.meta.url)));
  writeFileSync(`${folder}/.opencode/plugin/build.js`, `import { outputOf } from "${work}";\nimport { z } from "zod";\nexport default async () => ({ tool: { build: { description: "Builds.", args: { n: z.number() }, execute: async ({ n }) => outputOf(n) } } });\n`);
  writeFileSync(`${folder}/opencode.json`, JSON.stringify({
    model: "local/m", small_model: "local/m", autoupdate: false, share: "disabled", snapshot: false, lsp: false, formatter: false, permission: "allow", agent: { title: { disable: true } }, tools: { "*": false, build: true },
    provider: { local: { npm: "@ai-sdk/openai-compatible", name: "local", options: { baseURL: `${server.url}/v1`, apiKey: "none" }, models: { m: { name: "m", limit } } } },
  }));
  const home = { HOME: "home", XDG_DATA_HOME: "data", XDG_CONFIG_HOME: "config", XDG_CACHE_HOME: "cache", XDG_STATE_HOME: "state" };
  const off = ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"].map((name) => [`OPENCODE_DISABLE_${name}`, "1"]);
  const env = { PATH: process.env.PATH, ...Object.fromEntries([...Object.entries(home).map(([name, place]) => [name, `${folder}/${place}`]), ...off]) };
  const child = spawn(program, ["run", "--format", "json", TASK], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => (text += chunk));
  await new Promise((done) => child.once("close", done));
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}
