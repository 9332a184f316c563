// simulate: the command, and the function behind it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ContextError, Session, presets, simulate } from "contextfold";

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

test("a table, one row a preset, in the order in which they were named", () => {
  const { code, out, err } = cli(sample, "--preset", "rolling", "--preset", "contextfold", "--window", "40000");
  assert.deepEqual([code, err], [0, ""]);
  const rows = out.split("\n").filter((line) => /^ {2}(rolling|contextfold) +\d/.test(line));
  assert.deepEqual(rows.map((row) => row.trim().split(/\s+/)[0]), ["rolling", "contextfold"]);
  assert.match(out, /window 40,000/);
  assert.match(out, /rolling: its threshold of 50,001 is above the limit/);
});

test("without --preset every preset; without a window half of the transcript", () => {
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

test("the function gives what the command prints, and what a session says", async () => {
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

test("tools count with every call, and a list of passes is a ladder", () => {
  const tools = [{ type: "function", function: { name: "read", description: "Reads a file.", parameters: {} } }];
  const options = { contextWindow: 10_000, presets: [[{ pass: "ephemeral" }, { pass: "summarize" }]] };
  const [without] = simulate("openai-chat", chat, options).runs;
  const [run] = simulate("openai-chat", chat, { ...options, tools }).runs;
  assert.equal(run.preset, "ephemeral + summarize");
  assert.ok(run.calls.every((call, index) => call.tokens > without.calls[index].tokens));
});

test("a tokenizer of one's own counts; one that throws is told", () => {
  const run = (tokenizer) => simulate("openai-chat", chat, { contextWindow: 10_000, presets: ["spec"], tokenizer }).runs[0];
  assert.ok(run((text) => text.length).tokens_total > run("estimate").tokens_total);
  assert.throws(() => run(() => { throw new Error("no"); }), { code: "INVALID_ARGUMENT" });
});

test("a window that cannot hold the header: exit code 1, and why", () => {
  const large = [{ role: "system", content: "Rules. ".repeat(400) }, ...chat.slice(1)];
  const { code, out } = cli(file("large.json", large), "--window", "100", "--preset", "contextfold");
  assert.equal(code, 1);
  assert.match(out, /BUDGET_IMPOSSIBLE ×2/);
  assert.match(out, /2 calls over the limit of 100/);
});

test("bad input", () => {
  const chatFile = file("fine.json", chat);
  const cases = [
    [[chatFile, "--preset", "rollin"], 2, /rollin.*did you mean `rolling`/],
    [[chatFile, "--preset", "spec", "--preset", "nonsense"], 2, /nonsense/],
    [[chatFile, "--window", "0"], 2, /--window/],
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

test("the function's options are checked", () => {
  for (const options of [
    { presets: "spec" },
    { presets: ["nonsense"] },
    { presets: [7] },
    { tools: 1 },
    { ladder: "spec" },
    { summarize: () => "" },
    { contextWindw: 1 },
    [],
  ])
    assert.throws(() => simulate("openai-chat", chat, options), (error) => error instanceof ContextError && error.code === "INVALID_CONFIG", JSON.stringify(options));
  assert.throws(() => simulate("word", chat), { code: "INVALID_ARGUMENT" });
  assert.throws(() => simulate("openai-chat", null), ContextError);
});
