// simulate: the command and the function.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ContextError, Recording, Session, presets, simulate, toolDefinitions } from "contextfold";
import { failsWith } from "../support/session.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const sample = at("examples/transcript.responses.json");
const items = JSON.parse(readFileSync(sample, "utf8"));
const folder = mkdtempSync(join(tmpdir(), "contextfold-simulate-"));
after(() => rmSync(folder, { recursive: true }));

function file(name, content) {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function cli(...args) {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [at("pkg/cli/main.js"), "simulate", ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  assert.ifError(error);
  return { code: status, out: stdout, err: stderr };
}

const chat = [
  { role: "system", content: "You are a helper." },
  { role: "user", content: "Never push. What is in src/a.rs?" },
  { role: "assistant", content: "A module." },
  { role: "user", content: "And src/b.rs?" },
  { role: "assistant", content: "Another." },
];

test("a table with one row per preset, in the given order", () => {
  const { code, out, err } = cli(sample, "--preset", "rolling", "--preset", "contextfold", "--window", "40000");
  assert.deepEqual([code, err], [0, ""]);
  const rows = out.split("\n").filter((line) => /^ {2}(rolling|contextfold) +\d/.test(line));
  assert.deepEqual(rows.map((row) => row.trim().split(/\s+/)[0]), ["rolling", "contextfold"]);
  assert.match(out, /window 40,000/);
  assert.match(out, /rolling: its threshold of 50,001 is above the limit/);
});

test("without --preset: all presets; without a window: half of the transcript", () => {
  const { code, out } = cli(sample, "--json");
  assert.equal(code, 0);
  const { transcript_tokens, runs } = JSON.parse(out);
  assert.deepEqual(runs.map((run) => run.preset), Object.keys(presets));
  for (const run of runs) {
    assert.equal(run.window, Math.floor(transcript_tokens / 2));
    assert.equal(run.tokens_total, run.calls.reduce((sum, call) => sum + call.tokens, 0), run.preset);
    for (const call of run.calls) assert.equal(call.parts.reduce((sum, part) => sum + part.tokens, 0), call.tokens);
    assert.ok(run.retention.literal <= run.retention.with_refs);
  }
});

test("the function returns what the command prints and what a session reports", async () => {
  const simulated = simulate("openai-chat", chat, { contextWindow: 10_000, presets: ["spec"] });
  assert.deepEqual(JSON.parse(cli(file("chat.json", chat), "--window", "10000", "--preset", "spec", "--json").out), simulated);
  const session = new Session({ contextWindow: 10_000, ladder: "spec" });
  session.pushFrom("openai-chat", chat.slice(0, 2));
  const { report } = await session.prepare();
  const [run] = simulated.runs;
  assert.equal(run.calls.length, 2);
  assert.equal(run.calls[0].tokens, report.tokens_after);
  assert.equal(run.calls[1].cached_tokens, report.tokens_after);
  session.free();
});

test("tools count with every call, and a list of passes is accepted as a ladder", () => {
  const tools = [{ type: "function", function: { name: "read", description: "Reads a file.", parameters: {} } }];
  const options = { contextWindow: 10_000, presets: [[{ pass: "ephemeral" }, { pass: "summarize" }]] };
  const [without] = simulate("openai-chat", chat, options).runs;
  const [run] = simulate("openai-chat", chat, { ...options, tools }).runs;
  assert.equal(run.preset, "ephemeral + summarize");
  assert.ok(run.calls.every((call, index) => call.tokens > without.calls[index].tokens));
});

test("a custom tokenizer is used; if it throws, the error is reported", () => {
  const run = (tokenizer) => simulate("openai-chat", chat, { contextWindow: 10_000, presets: ["spec"], tokenizer }).runs[0];
  assert.ok(run((text) => text.length).tokens_total > run("estimate").tokens_total);
  assert.throws(() => run(() => { throw new Error("no"); }), { code: "INVALID_ARGUMENT" });
});

const claudePrice = { "claude-x": { litellm_provider: "anthropic", input_cost_per_token: 1e-6, output_cost_per_token: 2e-6, cache_read_input_token_cost: 1e-7, cache_creation_input_token_cost: 1.25e-6 } };

test("money: by a model's built-in price, or by a custom table", () => {
  const { prices, recorded, runs } = simulate("openai-responses", items, { contextWindow: 40_000, priceAs: "anthropic/claude-sonnet-4-5-20250929", presets: ["contextfold"] });
  assert.equal(prices.rates.cache_read_input_token_cost, 3e-7);
  assert.match(prices.as_of, /^\d{4}-\d\d$/);
  assert.ok(runs[0].cost > 0 && runs[0].cost < recorded.cost);
  const table = file("prices.json", claudePrice);
  const { code, out } = cli(file("body.json", { model: "claude-x", messages: chat }), "--prices", table, "--window", "1000", "--preset", "spec", "--json");
  assert.equal(code, 0);
  const [run] = JSON.parse(out).runs;
  const sent = run.calls.reduce((sum, call) => sum + call.tokens, 0);
  assert.ok(Math.abs(run.cost - (sent * 1.25e-6 + run.output_tokens * 2e-6)) < 1e-12, "the file's own model, too short to be cached");
  assert.match(cli(sample, "--prices", table, "--price-as", "claude-x", "--preset", "spec").out.replace(/\s+/g, " "), /claude-x, per million tokens \$1 in, \$0.1 from the cache, \$1.25 into it, \$2 out \(by your own table\)/);
});

test("a recording is replayed under one set of options after another, and returns the session at a call", () => {
  const recording = new Recording("openai-responses", items);
  const options = { contextWindow: 40_000 };
  const simulated = recording.simulate({ ...options, presets: ["contextfold"] });
  assert.deepEqual(simulated, simulate("openai-responses", items, { ...options, presets: ["contextfold"] }));
  assert.deepEqual(recording.simulate({ ...options, presets: ["contextfold"] }), simulated);
  const { calls } = simulated.runs[0];
  assert.equal(recording.calls, calls.length);
  for (const at of [0, 40, calls.length - 1]) {
    const session = recording.sessionAt(at, options);
    assert.equal(session.tokens, calls[at].tokens);
    session.push({ role: "assistant", content: "It is the caller's from here on." });
    session.free();
  }
  assert.ok(recording.simulate({ ...options, presets: ["spec"], tokenizer: (text) => text.length }).transcript_tokens > simulated.transcript_tokens);
  assert.throws(() => recording.sessionAt(0, { contextWindw: 1 }), { code: "INVALID_CONFIG" });
  recording.free();
});

test("a stepwise replay ends with the same result as simulate", () => {
  const recording = new Recording("openai-responses", items);
  const options = { contextWindow: 24_000, priceAs: "gpt-5" };
  const replay = recording.replay(options);
  assert.equal(replay.share, 0);
  assert.equal(replay.advance(10), true);
  assert.ok(replay.share > 0 && replay.share < 0.2, `${replay.share}`);
  assert.equal(replay.run().calls.length, 10);
  while (replay.advance(10));
  assert.equal(replay.share, 1);
  while (replay.look(10));
  const [run] = recording.simulate({ ...options, presets: ["contextfold"] }).runs;
  assert.deepEqual(replay.run(), run);
  for (const call of [0, 70, recording.calls]) {
    const [near, far] = [replay.sessionAt(call), recording.sessionAt(call, options)];
    assert.deepEqual(near.items(), far.items(), `call ${call}`);
    near.free();
    far.free();
  }
  replay.free();
  assert.throws(() => replay.advance(1), { code: "FREED" });
  assert.throws(() => recording.replay({ presets: [] }), { code: "INVALID_CONFIG" });
  recording.free();
});

test("a replay searches for facts only at the end, and an invalid call number is refused", () => {
  const recording = new Recording("openai-responses", items);
  const options = { contextWindow: 24_000, ladder: "rolling" };
  const replay = recording.replay(options);
  assert.throws(() => replay.look(), failsWith("INVALID_ARGUMENT", /calls have not been replayed yet.*advance/));
  replay.advance(20);
  assert.throws(() => replay.look(1), failsWith("INVALID_ARGUMENT"));
  for (const wrong of [-1, 1.5, NaN, "1", null, {}]) {
    assert.throws(() => replay.sessionAt(wrong), failsWith("INVALID_ARGUMENT", /call.*whole number/), `${wrong}`);
    assert.throws(() => recording.sessionAt(wrong, options), failsWith("INVALID_ARGUMENT", /call.*whole number/), `${wrong}`);
    assert.throws(() => replay.advance(wrong), failsWith("INVALID_ARGUMENT", /calls.*whole number/), `${wrong}`);
    assert.throws(() => replay.look(wrong), failsWith("INVALID_ARGUMENT", /calls.*whole number/), `${wrong}`);
  }
  // The options are those it started with.
  options.ladder = "no such ladder";
  options.now = 7;
  const session = replay.sessionAt(30);
  assert.equal(session.ladder[0].pass, new Session({ ladder: "rolling" }).ladder[0].pass);
  session.free();
  while (replay.advance());
  while (replay.look());
  const [run] = recording.simulate({ contextWindow: 24_000, presets: ["rolling"] }).runs;
  assert.deepEqual(replay.run(), run);
  replay.free();
  recording.free();
});

test("a tokenizer cannot advance the replay that it counts for", () => {
  const recording = new Recording("openai-chat", chat);
  let replay;
  let refused;
  const tokenizer = (text) => {
    try {
      replay?.advance(1);
    } catch (error) {
      refused = error;
    }
    return text.length;
  };
  replay = recording.replay({ contextWindow: 1_000, tokenizer });
  replay.advance();
  assert.equal(refused?.code, "INVALID_ARGUMENT");
  assert.equal(replay.run().calls.length, 2);
  replay.free();
  recording.free();
});

test("the report is one HTML file that loads nothing else", () => {
  const path = join(folder, "report.html");
  const { code } = cli(sample, "--preset", "contextfold", "--preset", "rolling", "--window", "30000", "--price-as", "gpt-5", "--html", path);
  assert.equal(code, 0);
  const html = readFileSync(path, "utf8");
  for (const part of ["as recorded", "contextfold", "rolling", "Call by call", "a fold before call", "list price of"]) assert.ok(html.includes(part), part);
  assert.match(html, /<th scope="col">cached<\/th><th scope="col">written<\/th>/);
  assert.match(html, /[\d,]+ tokens were written to the cache; it was broken by \w+ before \d+ calls?/);
  assert.match(html, /\(costs [\d,]+, saves [\d,]+\).*; [\d,]+ tokens lost from the cache to \w+</);
  assert.doesNotMatch(html, /<script|<link|<img|src=|@import|url\(|href=/);
  assert.match(html, /Content-Security-Policy" content="default-src 'none'/);
  assert.equal([...html.matchAll(/<svg /g)].length, 3);
  const strange = cli(file("<b>&.json", chat), "--window", "1000", "--preset", "spec", "--html", "-");
  assert.ok(strange.out.includes("&lt;b&gt;&amp;.json") && !strange.out.includes("<b>"));
  assert.ok(!strange.out.includes(folder), "a report that is handed on names the file, not its folders");
  const steering = cli(file("a\u001b[31m\u202eb.json", chat), "--window", "1000", "--preset", "spec", "--html", "-");
  assert.ok(steering.out.includes("<title>a [31m b.json"));
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(steering.out, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
});

test("a window too small for the header: exit code 1, and the reason", () => {
  const large = [{ role: "system", content: "Rules. ".repeat(400) }, ...chat.slice(1)];
  const { code, out } = cli(file("large.json", large), "--window", "100", "--preset", "contextfold");
  assert.equal(code, 1);
  assert.match(out, /BUDGET_IMPOSSIBLE ×2/);
  assert.match(out, /2 calls over the limit of 100/);
});

test("a preset that was not named and does not suit: exit code 0", () => {
  const sample = at("examples/transcript.responses.json");
  assert.equal(cli(sample, "--window", "16k").code, 0);
  assert.equal(cli(sample, "--window", "16k", "--preset", "contextfold", "--preset", "ladder").code, 1);
});

test("bad input", () => {
  const chatFile = file("fine.json", chat);
  const cases = [
    [[chatFile, "--preset", "rollin"], 2, /rollin.*did you mean `rolling`/],
    [[chatFile, "--preset", "spec", "--preset", "nonsense"], 2, /nonsense/],
    [[chatFile, "--window", "0"], 2, /--window/],
    [[chatFile, "--price-as", "gpt-55"], 2, /gpt-55.*--prices.*--price-as/],
    [[chatFile, "--prices", join(folder, "none.json")], 2, /no such file/],
    [[chatFile, "--prices", file("wrong.json", { a: { input_cost_per_token: -1 } }), "--price-as", "a"], 2, /prices.a.input_cost_per_token/],
    [[join(folder, "none.json")], 3, /no such file/],
    [[file("empty.json", "[]")], 3, /holds no messages/],
    [[file("broken.json", "[{")], 3, /not JSON/],
    [[file("orphan.json", [chat[1], { role: "tool", tool_call_id: "x", content: "42" }])], 3, /message 1/],
  ];
  for (const [args, expected, why] of cases) {
    const { code, out, err } = cli(...args);
    assert.deepEqual([code, out], [expected, ""], `${args}: ${err}`);
    assert.match(err, why);
  }
});

test("the function's options are validated", () => {
  for (const options of [
    { presets: "spec" },
    { presets: ["nonsense"] },
    { presets: [7] },
    { tools: 1 },
    { ladder: "spec" },
    { summarize: () => "" },
    { prices: 5 },
    { priceAs: 5 },
    { contextWindw: 1 },
    [],
  ])
    assert.throws(() => simulate("openai-chat", chat, options), (error) => error instanceof ContextError && error.code === "INVALID_CONFIG", JSON.stringify(options));
  assert.throws(() => simulate("word", chat), { code: "INVALID_ARGUMENT" });
  assert.throws(() => simulate("openai-chat", null), ContextError);
});

test("a replay sends what a session with the same tools sends", async () => {
  const tools = toolDefinitions("openai-responses");
  const isAnswer = (item) => item?.role === "assistant" || ["function_call", "reasoning", "custom_tool_call"].includes(item?.type);
  for (const contextWindow of [6_000, 12_000]) {
    const { calls, compactions } = simulate("openai-responses", items, { contextWindow, tools, presets: ["contextfold"] }).runs[0];
    assert.ok(compactions.count > 3);
    const session = new Session({ contextWindow });
    session.setTools("openai-responses", tools);
    let pushed = 0;
    const sent = [];
    for (const [at, item] of items.entries()) {
      if (!isAnswer(item) || isAnswer(items[at - 1])) continue;
      session.pushFrom("openai-responses", items.slice(pushed, at));
      pushed = at;
      sent.push((await session.prepare()).report.tokens_after);
    }
    assert.deepEqual(sent, calls.map(({ tokens }) => tokens));
  }
});
