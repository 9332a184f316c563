// The command line, run as a user runs it: a process, its streams, its exit code.

import assert from "node:assert/strict";
import { constants } from "node:buffer";
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Session, loadTokenizer } from "contextfold";
import { createStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import { transcript } from "../support/transcript.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const manifest = JSON.parse(readFileSync(at("package.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "contextfold-cli-"));
after(() => rmSync(folder, { recursive: true }));

const recorded = at("examples/transcript.responses.json");
const items = existsSync(recorded) ? JSON.parse(readFileSync(recorded, "utf8")) : transcript();
const chat = [
  { role: "system", content: "You are a helper." },
  { role: "user", content: "What is in the folder?" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "a1", type: "function", function: { name: "list", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "a1", content: "one.txt\ntwo.txt" },
  { role: "assistant", content: "Two files." },
];

function file(name, content) {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content));
  return path;
}
const sample = file("sample.json", items);
const chatFile = file("chat.json", chat);

/** Runs the command line of package.json's `bin`: `{ code, out, err }`. */
function cli(args, { input, env } = {}) {
  const { NO_COLOR: _, ...inherited } = process.env;
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [at(manifest.bin.contextfold), ...args], {
    input: input ?? "",
    encoding: "utf8",
    env: { ...inherited, ...env },
    maxBuffer: 1 << 28,
  });
  assert.ifError(error);
  assert.doesNotMatch(stderr, /^\s+at .*:\d+:\d+/m, "a stack trace");
  return { code: status, out: stdout, err: stderr };
}

function json(args, options) {
  const run = cli([...args, "--json"], options);
  assert.equal(run.err, "");
  return { ...run, value: JSON.parse(run.out) };
}

/** Every call is answered once, after the call; there is no output without a call. */
function assertPaired(list) {
  const open = new Set();
  for (const item of list) {
    if (item.type === "function_call") open.add(item.call_id);
    if (item.type === "function_call_output")
      assert.ok(open.delete(item.call_id), `${item.call_id} is answered, but no call is open`);
    for (const call of item.tool_calls ?? []) open.add(call.id);
    if (item.role === "tool")
      assert.ok(open.delete(item.tool_call_id), `${item.tool_call_id} is answered, but no call is open`);
  }
  assert.deepEqual([...open], [], "calls without an output");
}

describe("compact", () => {
  test("makes the sample fit, and its output can be sent", () => {
    const { code, value } = json(["compact", sample, "--window", "128000"]);
    assert.equal(code, 0);
    assert.deepEqual(Object.keys(value), ["format", "output", "report"]);
    assert.equal(value.format, "openai-responses");
    assert.ok(Array.isArray(value.output), "an array came in, an array goes out");
    assertPaired(value.output);
    assert.ok(value.report.tokens_after <= value.report.limit);
    assert.equal(value.report.window, 128000);
    assert.equal(
      value.report.parts.reduce((sum, part) => sum + part.tokens, 0),
      value.report.tokens_after,
    );
    const counted = json(["count", file("out-128.json", value.output)]).value;
    assert.ok(
      Math.abs(counted.tokens - value.report.tokens_after) <= value.report.tokens_after * 0.02,
      "counted anew, the output has the tokens that the report says",
    );
  });

  test("a window of 20,000 cuts the long turn at a step", () => {
    const { code, value } = json(["compact", sample, "--window", "20000"]);
    assert.equal(code, 0);
    assert.ok(value.report.tokens_after <= value.report.limit);
    assert.ok(value.report.decisions.some((decision) => decision.pass === "summarize"));
    assert.equal(value.report.tokens_before, json(["count", sample]).value.tokens, "it began with what came in");
    assert.ok(value.output.length < items.length);
    assertPaired(value.output);
  });

  test("one single long turn is cut at a step as well", () => {
    const single = transcript().slice(0, -3);
    const { code, value } = json(["compact", file("single.json", single), "--window", "20000"]);
    assert.equal(code, 0);
    assert.ok(value.report.tokens_after <= value.report.limit);
    assertPaired(value.output);
    assert.ok(
      value.output.some((item) => item.type === "function_call"),
      "its last steps still stand",
    );
  });

  test("a body keeps all its other fields, in order", () => {
    const body = {
      model: "gpt-5",
      instructions: "Be brief.",
      store: false,
      input: items,
      tools: [{ type: "function", name: "x", parameters: { type: "object", properties: {} } }],
    };
    const { code, value } = json(["compact", file("body.json", body), "--window", "20000"]);
    assert.equal(code, 0);
    assert.deepEqual(Object.keys(value.output), Object.keys(body));
    assert.deepEqual({ ...value.output, input: null }, { ...body, input: null });
    assertPaired(value.output.input);
    assert.ok(
      value.report.parts.some((part) => part.name === "tools" && part.tokens > 0),
      "its tools are counted",
    );
    assert.ok(
      json(["compact", file("items.json", { items: chat }), "--window", "20000"]).value.output.items.length ===
        chat.length,
    );
  });

  test("--out writes what --json prints as output, --to in another format", () => {
    const out = join(folder, "small.json");
    const run = cli(["compact", sample, "--window", "20000", "--out", out]);
    assert.equal(run.code, 0);
    assert.equal(run.err, "");
    assert.ok(run.out.includes(out), "the report says where");
    assert.deepEqual(
      JSON.parse(readFileSync(out, "utf8")),
      json(["compact", sample, "--window", "20000"]).value.output,
    );
    const converted = json(["compact", sample, "--window", "20000", "--to", "openai-chat"]).value;
    assert.equal(converted.format, "openai-chat");
    assert.ok(converted.output.every((message) => typeof message.role === "string"));
    assertPaired(converted.output);
  });

  test("--out - prints only the transcript, and *.jsonl is written as lines", () => {
    const piped = cli(["compact", chatFile, "--window", "9000", "--out", "-"]);
    assert.deepEqual(JSON.parse(piped.out), chat);
    assert.match(piped.err, /Result/);
    const lines = join(folder, "small.jsonl");
    assert.equal(cli(["compact", chatFile, "--window", "9000", "--out", lines]).code, 0);
    assert.deepEqual(
      readFileSync(lines, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
      chat,
    );
  });

  test("a transcript that cannot fit: exit 1, nothing written, but a report", () => {
    const big = file("big-header.json", [
      { role: "system", content: "rule ".repeat(4000) },
      { role: "user", content: "hi" },
    ]);
    const out = join(folder, "never.json");
    const run = cli(["compact", big, "--window", "1000", "--out", out]);
    assert.equal(run.code, 1);
    assert.match(run.out, /does not fit \(BUDGET_IMPOSSIBLE\)/);
    assert.match(run.err, /^contextfold: BUDGET_IMPOSSIBLE: [^\n]+\n$/);
    assert.ok(!existsSync(out));
    const printed = cli(["compact", big, "--window", "1000", "--json"]);
    assert.equal(printed.code, 1);
    const value = JSON.parse(printed.out);
    assert.equal(value.error.code, "BUDGET_IMPOSSIBLE");
    assert.equal(value.report.window, 1000);
    assert.equal(value.output, null);
  });

  test("a model's window, the threshold and the reserve are the engine's", () => {
    assert.ok(json(["compact", chatFile, "--model", "gpt-4o"]).value.report.window > 100_000);
    const { report } = json([
      "compact",
      chatFile,
      "--window",
      "10k",
      "--reserve",
      "2_000",
      "--threshold-ratio",
      "0.5",
    ]).value;
    assert.deepEqual([report.window, report.limit, report.threshold], [10_000, 8_000, 4_000]);
  });

  test("the report shows the input, each decision, the parts, the summary and the result", () => {
    const { out } = cli(["compact", sample, "--window", "20000"]);
    const { report } = json(["compact", sample, "--window", "20000"]).value;
    for (const word of [
      "Came in",
      "Window",
      "Before",
      "After",
      "Decisions",
      "Trimmed",
      "Folded",
      "Left",
      "Summary",
      "Result",
      "✓ fits",
      "░",
      "█",
    ])
      assert.ok(out.includes(word), word);
    let last = -1;
    for (const decision of report.decisions) {
      const found = out.indexOf(decision.pass, last + 1);
      assert.ok(found > last, `${decision.pass} in its order`);
      last = found;
    }
    for (const part of report.parts)
      assert.match(out, new RegExp(`${part.name.replace("_", " ")} .* ${part.tokens.toLocaleString("en-US")} `));
    assert.ok(
      out.split("\n").every((line) => [...line].length <= 80),
      "no line beyond 80 columns",
    );
  });
});

describe("count and inspect", () => {
  test("count: tokens by part add up, with method and exactness", () => {
    const { code, value } = json(["count", sample]);
    assert.equal(code, 0);
    assert.deepEqual(Object.keys(value), ["tokens", "by_part", "method", "exact"]);
    assert.ok(value.tokens > 30_000);
    assert.equal(
      Object.values(value.by_part).reduce((sum, tokens) => sum + tokens, 0),
      value.tokens,
    );
    assert.deepEqual([value.method, value.exact], ["estimate", false]);
    assert.equal(json(["count", sample, "--tokenizer", "bytes/4"]).value.method, "bytes/4");
    for (const tokenizer of ["o200k_base", "cl100k_base"]) {
      const { value: counted } = json(["count", sample, "--tokenizer", tokenizer]);
      assert.deepEqual([counted.method, counted.exact], [tokenizer, true]);
    }
    const of = (...flags) => json(["count", sample, ...flags]).value;
    assert.deepEqual(of("--model", "gpt-5"), { ...of("--model", "gpt-5", "--tokenizer", "o200k_base") }, "the model's own, as it is public");
    assert.deepEqual([of("--model", "gpt-4o").method, of("--model", "gpt-4o").exact], ["o200k_base", true]);
    assert.deepEqual([of("--model", "gpt-5", "--tokenizer", "estimate").method, of("--model", "claude-sonnet-4-5").method], ["estimate", "estimate"]);
    assert.equal(of("--model", "claude-sonnet-4-5", "--tokenizer", "o200k_base").exact, false);
    const { counter } = json(["compact", sample, "--window", "9000", "--tokenizer", "o200k_base"]).value.report;
    assert.deepEqual([counter.method, counter.exact], ["o200k_base", true]);
    assert.ok(cli(["count", sample]).out.includes(value.tokens.toLocaleString("en-US")));
  });

  test("count: above the given window exit 1, within it 0", () => {
    assert.equal(cli(["count", sample, "--window", "20000"]).code, 1);
    assert.equal(cli(["count", chatFile, "--window", "20000"]).code, 0);
  });

  test("inspect: turns, steps, tools with calls and bytes, largest outputs", () => {
    const { value } = json(["inspect", chatFile]);
    assert.deepEqual(
      [value.format, value.shape, value.items, value.messages, value.turns, value.steps],
      ["openai-chat", "array", 5, 5, 1, 2],
    );
    assert.deepEqual(
      value.tools.map(({ name, calls, output_bytes }) => ({ name, calls, output_bytes })),
      [{ name: "list", calls: 1, output_bytes: 15 }],
    );
    assert.deepEqual(
      value.largest_outputs.map(({ tool, bytes, lines }) => ({ tool, bytes, lines })),
      [{ tool: "list", bytes: 15, lines: 2 }],
    );
    const { value: large } = json(["inspect", sample]);
    assert.equal(
      large.tools.reduce((sum, tool) => sum + tool.calls, 0),
      items.filter((item) => item.type === "function_call").length,
    );
    assert.equal(large.turns, items.filter((item) => item.role === "user").length);
    const sizes = large.largest_outputs.map((output) => output.bytes);
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => b - a),
    );
    assert.match(cli(["inspect", sample]).out, /Largest outputs/);
  });
});

describe("input", () => {
  test("standard input, JSON lines and a body give the same transcript", () => {
    const direct = json(["count", chatFile]).value;
    const lines = chat.map((message) => JSON.stringify(message)).join("\n");
    assert.deepEqual(json(["count", "-"], { input: JSON.stringify(chat) }).value, direct);
    assert.deepEqual(json(["count", "-"], { input: `\ufeff${lines}\r\n\n` }).value, direct);
    assert.deepEqual(json(["count", file("chat-body.json", { model: "m", messages: chat })]).value, direct);
    assert.equal(json(["inspect", "-"], { input: lines }).value.shape, "lines");
  });

  test("the format is detected; --format forces another", () => {
    const formatOf = (content, ...args) =>
      json(["inspect", "-", ...args], { input: JSON.stringify(content) }).value.format;
    assert.equal(formatOf(items), "openai-responses");
    assert.equal(formatOf({ input: "hello" }), "openai-responses");
    assert.equal(formatOf([{ role: "user", content: "hello", pinned: true }]), "messages");
    assert.equal(formatOf(chat, "--format", "messages"), "messages");
    assert.equal(cli(["inspect", sample, "--format", "openai-chat"]).code, 3);
  });

  const bad = {
    "a broken document": [
      '{\n  "input": [\n    {"role": "user" "content": "x"}\n  ]\n}',
      /line 3, column 21: expected a comma or }/,
    ],
    "a file that is cut off": ['[{"role":"user","content":"x"}', /line 1, column 31: .*cut off/],
    "a bad escape": ['["\\q"]', /line 1, column 3: `\\q` is not a valid escape/],
    "a line break in a text": ['[{"role":\n"us\ner"}]', /line 2, column 4: a line ends inside a text/],
    "a broken line": ['{"role":"user","content":"x"}\n{"role":}', /line 2, column 9: expected a value/],
    "an empty file": [" \n", /is empty/],
    "an empty list": ["[]", /no messages/],
    "a number": ["42", /holds a number/],
    "a list of numbers": ["[1]", /entry 0 is a number/],
    "a foreign object": ['{"a":1}', /input, messages, contents, items/],
    "a message without its call": ['[{"role":"tool","content":"x"}]', /INVALID_MESSAGE.*tool_call_id/],
    "a list that is none": ['{"messages":null}', /has null in “messages”, not a list/],
    "a compressed file": [Buffer.from([0x1f, 0x8b, 0x08]), /is compressed; unpack it first/],
    "bytes that are no text": [Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), /not UTF-8/],
  };
  for (const [name, [input, expected]] of Object.entries(bad))
    test(`${name}: exit 3, one line with the position`, () => {
      const run = cli(["compact", "-", "--window", "1000"], { input });
      assert.equal(run.code, 3);
      assert.equal(run.out, "");
      assert.match(run.err, /^contextfold: [A-Z_]+: [^\n]+\n$/);
      assert.match(run.err, expected);
    });

  test("not a saved session: exit 3", () => {
    assert.match(cli(["mcp", "--session", sample]).err, /SNAPSHOT_INVALID/);
    for (const args of [["--session", sample], ["--store", folder, "--key", "nothing"], ["--store", join(folder, "nope")]]) assert.equal(cli(["mcp", ...args]).code, 3, args.join(" "));
  });

  test("a limit is compared with the model's token count if that is higher than ours", () => {
    const { tokens } = json(["count", sample, "--model", "claude-sonnet-4-5"]).value;
    const window = String(tokens + 1);
    const models = ["count", sample, "--tokenizer", "estimate", "--window", window];
    assert.equal(cli(models).code, 0);
    const claude = cli([...models, "--model", "claude-sonnet-4-5"]);
    assert.equal(claude.code, 1);
    assert.match(claude.out, /over the limit .*as the model counts/);
    const { out } = cli(["compact", sample, "--model", "claude-sonnet-4-5"]);
    assert.match(out, /threshold 160,000 .*as the model counts/);
    assert.match(out, /▲ threshold 140,000/);
  });

  test("a missing file, and a folder: exit 3", () => {
    assert.match(cli(["count", join(folder, "nope.json")]).err, /UNREADABLE: cannot read .*no such file/);
    assert.match(cli(["mcp", "--session", join(folder, "nope")]).err, /UNREADABLE: cannot read .*no such file/);
    assert.match(cli(["mcp", "--store", join(folder, "nope")]).err, /UNREADABLE: cannot read .*no such file/);
    assert.match(cli(["simulate", sample, "--prices", join(folder, "nope")]).err, /USAGE: cannot read .*no such file/);
    assert.equal(cli(["count", folder]).code, 3);
  });
});

for (const [what, bytes, why] of [["a text may have characters", constants.MAX_STRING_LENGTH + 1, /is too large: a text may have at most \d+ million characters/], ["Node reads at once", 2 ** 31 + 1, /it is larger than 2 GiB/]])
  test(`a file larger than ${what}: exit 3, and the size is said to be the reason`, () => {
    const path = file("large.json", "");
    truncateSync(path, bytes);
    const { code, err } = cli(["count", path]);
    rmSync(path);
    assert.deepEqual([code, why.test(err)], [3, true], err);
  });

describe("an output that cannot be written: exit 4, one line", () => {
  const commands = [["compact", chatFile, "--window", "9000", "--out"], ["repair", chatFile, "--out"], ["convert", chatFile, "--to", "anthropic", "--out"], ["simulate", chatFile, "--window", "9000", "--preset", "spec", "--html"]];
  for (const [name, path, why] of [["no such folder", join(folder, "no", "x.json"), "no such folder"], ["a folder", folder, "it is a folder"]])
    test(name, () => {
      for (const args of commands) {
        const run = cli([...args, path]);
        assert.equal(run.err, `contextfold: UNWRITABLE: cannot write ${path}: ${why}\n`);
        assert.equal(run.code, 4);
      }
    });
});

describe("a full disk", { skip: !existsSync("/dev/full") && "there is no /dev/full here" }, () => {
  const full = /^contextfold: UNWRITABLE: cannot write (\/dev\/full|standard output): the disk is full\n$/;
  test("for --out: exit 4, one line", () => {
    for (const args of [["compact", chatFile, "--window", "9000", "--out"], ["repair", chatFile, "--out"], ["simulate", chatFile, "--window", "9000", "--preset", "spec", "--html"]]) {
      const run = cli([...args, "/dev/full"]);
      assert.match(run.err, full);
      assert.equal(run.code, 4);
    }
  });

  test("for standard output: exit 4, one line", () => {
    const out = openSync("/dev/full", "w");
    const { status, stderr } = spawnSync(process.execPath, [at(manifest.bin.contextfold), "count", chatFile], { encoding: "utf8", stdio: ["ignore", out, "pipe"] });
    closeSync(out);
    assert.match(stderr, full);
    assert.equal(status, 4);
  });
});

test("an output that replaces its input does so whole or not at all", { skip: process.platform === "win32" && "there is no ulimit here" }, () => {
  const own = mkdtempSync(join(folder, "same-"));
  const path = join(own, "chat.json");
  const before = JSON.stringify(Array.from({ length: 4000 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `${i}` })));
  writeFileSync(path, before, { mode: 0o640 });
  // 100 blocks of 512 or 1024 bytes: the output is longer.
  const run = spawnSync("sh", ["-c", 'ulimit -f 100; "$@"', "sh", process.execPath, at(manifest.bin.contextfold), "repair", path, "--out", path], { encoding: "utf8" });
  assert.match(run.stderr, /UNWRITABLE: cannot write .*maximum file size/);
  assert.equal(run.status, 4);
  assert.equal(readFileSync(path, "utf8"), before);
  assert.equal(cli(["repair", path, "--out", path]).code, 0);
  assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), JSON.parse(before));
  assert.equal(statSync(path).mode & 0o777, 0o640);
  assert.deepEqual(readdirSync(own), ["chat.json"]);
});

test("mcp without its package names the commands that install it", async () => {
  const session = new Session({ contextWindow: 9000 });
  const saved = file("chat.snapshot", Buffer.from(session.snapshot()));
  const run = cli(["mcp", "--session", saved]);
  assert.equal(run.code, 2);
  assert.match(run.err, /npm install @modelcontextprotocol\/server@2, .*npx -p contextfold -p @modelcontextprotocol\/server@2 contextfold mcp --session FILE/);
});

test("mcp reads a folder of unstorage, also if a process died while it saved", async () => {
  const own = mkdtempSync(join(folder, "unstorage-"));
  const store = createStorage({ driver: fsDriver({ base: own }) });
  const session = new Session({ contextWindow: 9000 });
  session.push({ role: "user", content: "Why does the build fail?" });
  await session.save(store, "chat/17");
  const isRead = (...args) => assert.match(cli(["mcp", "--store", own, ...args]).err, /USAGE: .*npm install @modelcontextprotocol/);
  isRead();
  isRead("--key", "chat/17");
  isRead("--key", "chat:17");
  await store.setItem("chat/17:head", "");
  isRead();
  assert.match(cli(["mcp", "--store", own, "--key", "../17"]).err, /--key: \.\.\/17 is not a valid key/);
});

describe("usage", () => {
  const wrong = {
    "no command": [[], /which command/],
    "an unknown command": [["shrink", sample], /no command shrink/],
    "a misspelt command": [["simulat", sample], /no command simulat \(did you mean simulate\?\)/],
    "a misspelt flag": [["check", sample, "--provder", "x"], /no option --provder \(did you mean --provider\?\)/],
    "an unknown provider": [["check", sample, "--provider", "opnai"], /--provider: unknown provider opnai \(did you mean openai\?\)/],
    "an unknown provider to mend for": [["repair", sample, "--provider", "foo"], /--provider: unknown provider foo; known are openai, /],
    "no file": [["count"], /FILE is missing/],
    "two files": [["count", sample, sample], /one FILE/],
    "an unknown flag": [["compact", sample, "--windw", "3"], /no option --windw/],
    "another command's flag": [["count", sample, "--out", "x"], /no option --out/],
    "a flag without its value": [["compact", sample, "--window"], /--window needs a value/],
    "a window that is no number": [["compact", sample, "--window", "big"], /--window: big/],
    "neither window nor model": [["compact", sample], /--window N or --model NAME/],
    "two documents on one stream": [["compact", sample, "--window", "9000", "--json", "--out", "-"], /use only one/],
    "an unknown format": [["count", sample, "--format", "xml"], /no format xml/],
    "an unknown model": [["compact", sample, "--model", "no-such-model"], /UNKNOWN_MODEL: .*--window/],
    "a threshold out of range": [
      ["compact", sample, "--window", "9000", "--threshold-ratio", "7"],
      /INVALID_CONFIG: --threshold-ratio/,
    ],
    "an unknown preset": [["compact", sample, "--window", "9000", "--preset", "x"], /INVALID_CONFIG: --preset/],
    "an unknown preset to simulate": [["simulate", sample, "--preset", "nope"], /INVALID_CONFIG: --preset: there is no preset `nope`; known names are .*`selective`, `ladder`\n/],
    "an unknown tokenizer": [["count", sample, "--tokenizer", "x"], /INVALID_CONFIG: --tokenizer/],
  };
  for (const [name, [args, expected]] of Object.entries(wrong))
    test(`${name}: exit 2, one line`, () => {
      const run = cli(args);
      assert.equal(run.code, 2);
      assert.equal(run.out, "");
      assert.match(run.err, /^contextfold: [A-Z_]+: [^\n]+\n$/);
      assert.match(run.err, expected);
    });

  test("--version prints the package's version, --help names every flag of its command", () => {
    for (const flag of ["--version", "-v", "-V"]) assert.equal(cli([flag]).out, `${manifest.version}\n`);
    assert.match(cli(["--help"]).out, /inspect[\s\S]*count[\s\S]*compact/);
    for (const args of [
      ["compact", "--help"],
      ["help", "compact"],
      ["compact", "-h"],
    ]) {
      const { code, out } = cli(args);
      assert.equal(code, 0);
      for (const flag of [
        "--out",
        "--to",
        "--threshold-ratio",
        "--model",
        "--window",
        "--reserve",
        "--preset",
        "--tokenizer",
        "--format",
        "--json",
        "--no-color",
      ])
        assert.ok(out.includes(flag), flag);
    }
  });
});

test("pack-tokenizer writes a file that loadTokenizer reads", async () => {
  const alphabet = { h: 0, e: 1, l: 2, o: 3, he: 4, ...Object.fromEntries(Array.from({ length: 256 }, (_, n) => [`<0x${n.toString(16).toUpperCase().padStart(2, "0")}>`, 10 + n])) };
  const model = { type: "BPE", vocab: alphabet, merges: [["h", "e"]], byte_fallback: true };
  const source = file("tokenizer.json", { model });
  const out = join(folder, "tokenizer.bin");
  const { value } = json(["pack-tokenizer", source, out]);
  const packed = readFileSync(out);
  assert.deepEqual(value, { out, bytes: readFileSync(source).length, packed_bytes: packed.length });
  for (const bytes of [packed, readFileSync(source)]) assert.deepEqual([...(await loadTokenizer(bytes)).encode("hello!")], [4, 2, 2, 3, 10 + 33]);
  assert.match(cli(["pack-tokenizer", source, out]).out, /tokenizer\.bin: 0\.0 MB of 0\.0 MB/);

  assert.deepEqual([cli(["pack-tokenizer", source]).code, cli(["pack-tokenizer"]).code, cli(["pack-tokenizer", source, out, "more"]).code], [2, 2, 2]);
  assert.match(cli(["pack-tokenizer", source]).err, /OUT is missing/);
  const without = cli(["pack-tokenizer", source, out, "--template", file("config.json", { chat_template: "{{ 1 }}" })]);
  assert.equal(without.code, 2);
  assert.match(without.err, /npm install @huggingface\/jinja/); // no dependency of this repository
  const refused = cli(["pack-tokenizer", file("broken.json", "{"), out]);
  assert.equal(refused.code, 3);
  assert.match(refused.err, /ENCODING_INVALID/);
  assert.equal(cli(["pack-tokenizer", file("other.json", { model: { type: "WordLevel", vocab: {} } }), out]).code, 3);
  assert.equal(cli(["pack-tokenizer", source, join(folder, "nowhere/out.bin")]).code, 4);
});

describe("terminal", () => {
  const ESC = "\u001b[";
  /** Runs under a terminal if the `script` tool is available, and returns what the terminal received. */
  function onTerminal(args, env = {}) {
    const { NO_COLOR: _, ...inherited } = process.env;
    const command = [process.execPath, at(manifest.bin.contextfold), ...args].map((word) => `'${word}'`).join(" ");
    const run = spawnSync("script", ["-qec", command, "/dev/null"], {
      encoding: "utf8",
      env: { ...inherited, TERM: "xterm-256color", ...env },
      input: "",
    });
    return run.error ? null : run.stdout;
  }

  test("a pipe gets no colours and no progress", () => {
    const { out, err } = cli(["compact", sample, "--window", "32000"]);
    assert.ok(!out.includes(ESC));
    assert.equal(err, "");
  });

  test("a terminal gets colours, unless NO_COLOR or --no-color", (t) => {
    const colored = onTerminal(["count", chatFile]);
    if (colored === null) return t.skip("the `script` tool is not here");
    assert.match(colored, /\u001b\[1m/);
    assert.doesNotMatch(onTerminal(["count", chatFile], { NO_COLOR: "1" }), /\u001b\[\d+m/);
    assert.doesNotMatch(onTerminal(["count", chatFile, "--no-color"]), /\u001b\[\d+m/);
  });

  test("escape sequences in a transcript cannot control the terminal", () => {
    const hostile = [
      { role: "user", content: "x" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "a", type: "function", function: { name: "evil\u001b[2Jname", arguments: '"\u001b]0;title\u0007"' } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "y" },
    ];
    const { code, out } = cli(["inspect", "-"], { input: JSON.stringify(hostile) });
    assert.equal(code, 0);
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(out, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});
