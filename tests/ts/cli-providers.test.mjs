// `contextfold check`, `repair` and `convert`, run as a user runs them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { folder as recorded, missing } from "../support/data.mjs";

const main = fileURLToPath(new URL("../../pkg/cli/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "contextfold-cli-"));
after(() => rmSync(folder, { recursive: true }));

function cli(args, input = "") {
  const { NO_COLOR: _, ...env } = process.env;
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [main, ...args], { input, encoding: "utf8", env, maxBuffer: 1 << 28 });
  assert.ifError(error);
  assert.doesNotMatch(stderr, /^\s+at .*:\d+:\d+/m, "a stack trace");
  return { code: status, out: stdout, err: stderr };
}

function file(name, content) {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const call = (id) => ({ id, type: "function", function: { name: "list", arguments: "{}" } });
const whole = [
  { role: "system", content: "You are a helper." },
  { role: "user", content: "What is in the folder?" },
  { role: "assistant", content: null, tool_calls: [call("a1")] },
  { role: "tool", tool_call_id: "a1", content: "one.txt" },
  { role: "assistant", content: "One file." },
];
const broken = [whole[1], whole[2], { role: "tool", tool_call_id: "zz", content: "?" }, { role: "user", content: "Well?" }];
const wholeFile = file("whole.json", whole);
const brokenFile = file("broken.json", broken);

describe("check", () => {
  test("a valid request: exit 0, no findings", () => {
    const { code, out, err } = cli(["check", wholeFile]);
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /whole\.json\n\s+openai-chat · 5 items\n\n\s+✓ nothing that its provider would reject\n/);
    assert.deepEqual(JSON.parse(cli(["check", wholeFile, "--json"]).out), { violations: [] });
  });

  test("an invalid request: exit 1, each rule with its position", () => {
    const { code, out } = cli(["check", brokenFile]);
    assert.equal(code, 1);
    assert.match(out, /✗ 2 errors: the provider would reject it/);
    assert.match(out, /C-wrong-id\s+\[2\]\s+tool_call_id zz/);
    assert.match(out, /C-unanswered\s+\[1\]\s+tool_calls without a tool message: a1/);
    const { violations } = JSON.parse(cli(["check", brokenFile, "--json"]).out);
    assert.deepEqual(violations.map((v) => [v.severity, v.rule, v.index]), [["error", "C-wrong-id", 2], ["error", "C-unanswered", 1]]);
  });

  test("only warnings: exit 0", () => {
    const twice = [{ role: "user", content: [{ type: "text", text: "a" }] }, { role: "user", content: [{ type: "text", text: "b" }] }];
    const { code, out } = cli(["check", "-", "--format", "anthropic"], JSON.stringify(twice));
    assert.equal(code, 0);
    assert.match(out, /✓ nothing that its provider would reject \(1 warning\)/);
    assert.match(out, /A-same-role/);
  });

  test("calls that are still being executed, with --pending", () => {
    const running = file("running.json", whole.slice(0, 3));
    assert.equal(cli(["check", running]).code, 1);
    assert.equal(cli(["check", running, "--pending"]).code, 0);
  });

  test("rules of one provider only, with --provider", () => {
    const items = [
      { role: "user", content: "go" },
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      { role: "assistant", content: "wait" },
      { type: "function_call_output", call_id: "a", output: "1" },
    ];
    const path = file("interleaved.json", items);
    assert.equal(cli(["check", path]).code, 0);
    const { violations } = JSON.parse(cli(["check", path, "--provider", "deepseek", "--json"]).out);
    assert.deepEqual(violations.map((v) => v.rule), ["R-interleaved"]);
  });

  test("a body that relies on a stored conversation is recognised", () => {
    const input = [{ type: "function_call_output", call_id: "a", output: "1" }];
    assert.equal(cli(["check", "-"], JSON.stringify({ model: "m", input })).code, 1);
    assert.equal(cli(["check", "-"], JSON.stringify({ model: "m", previous_response_id: "resp_1", input })).code, 0);
  });

  test("JSON lines of requests are checked one by one", () => {
    const lines = [{ messages: whole }, { format: "chat", opts: { pending: true }, items: whole.slice(0, 3) }, { messages: broken }];
    const path = file("requests.jsonl", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { code, out } = cli(["check", path, "--json"]);
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(out).violations.map((v) => [v.line, v.rule]), [[3, "C-wrong-id"], [3, "C-unanswered"]]);
    assert.match(cli(["check", path]).out, /3 requests · 12 items/);
  });

  test("JSON lines of items are one transcript", () => {
    const { code, out } = cli(["check", "-"], whole.map((line) => `${JSON.stringify(line)}\n`).join(""));
    assert.equal(code, 0);
    assert.match(out, /openai-chat · 5 items/);
  });

  test("unreadable input: exit 3, with the position", () => {
    const { code, err, out } = cli(["check", "-"], `${JSON.stringify({ messages: whole })}\n{"messages": [}\n`);
    assert.deepEqual([code, out], [3, ""]);
    assert.match(err, /UNREADABLE: standard input: line 2 is not JSON/);
    assert.equal(cli(["check", join(folder, "none.json")]).code, 3);
  });
});

describe("repair", () => {
  test("says what was done and writes a valid request", () => {
    const path = join(folder, "mended.json");
    const { code, out } = cli(["repair", brokenFile, "--out", path]);
    assert.equal(code, 0);
    assert.match(out, /✓ 2 changes/);
    assert.match(out, /\[1\]\s+C-unanswered\s+a placeholder/);
    assert.equal(cli(["check", path]).code, 0);
  });

  test("--json: { format, output, changes }; a body stays a body", () => {
    const { out, code } = cli(["repair", "-", "--json"], JSON.stringify({ model: "m", messages: broken, temperature: 0 }));
    const { format, output, changes } = JSON.parse(out);
    assert.deepEqual([code, format, changes.length, Object.keys(output)], [0, "openai-chat", 2, ["model", "messages", "temperature"]]);
    assert.deepEqual(Object.keys(changes[0]).sort(), ["index", "rule", "what"]);
  });

  test("valid input comes out unchanged", () => {
    const { out, err, code } = cli(["repair", wholeFile, "--out", "-"]);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(out), whole);
    assert.match(err, /nothing to repair/);
  });

  test("input that cannot be repaired: exit 1", () => {
    const { code, out } = cli(["repair", "-"], JSON.stringify([{ role: "tool", tool_call_id: "zz", content: "?" }]));
    assert.equal(code, 1);
    assert.match(out, /not repaired: no messages/);
  });
});

describe("convert", () => {
  test("to another format, header and all, and back", () => {
    const path = join(folder, "converted.json");
    const { code, out } = cli(["convert", wholeFile, "--to", "anthropic", "--out", path]);
    assert.equal(code, 0);
    assert.match(out, /converted\.json \(anthropic, 4 items/);
    const body = JSON.parse(readFileSync(path, "utf8"));
    assert.deepEqual(Object.keys(body), ["system", "messages"]);
    assert.equal(body.messages[1].content[0].type, "tool_use");
    const back = JSON.parse(cli(["convert", path, "--to", "openai-chat", "--json"]).out);
    assert.deepEqual(back.output.messages.map((m) => m.role), whole.map((m) => m.role));
  });

  for (const format of ["openai-responses", "gemini", "bedrock-converse", "ai-sdk"])
    test(`to ${format} and back; compact takes and writes it, as a body and as a list`, () => {
      const path = join(folder, `${format}.json`);
      const { code, out, err } = cli(["convert", wholeFile, "--to", format, "--out", path]);
      assert.deepEqual([code, err], [0, ""]);
      assert.match(out, new RegExp(`${format}\\.json \\(${format}, \\d items`));
      const body = JSON.parse(readFileSync(path, "utf8"));
      const { output: back } = JSON.parse(cli(["convert", path, "--format", format, "--to", "openai-chat", "--json"]).out);
      assert.deepEqual((back.messages ?? back).map(({ role }) => role), whole.map(({ role }) => role));
      const list = body.input ?? body.messages ?? body.contents ?? body;
      for (const given of [body, list]) {
        const { format: as, output } = JSON.parse(cli(["compact", "-", "--format", format, "--window", "9000", "--json"], JSON.stringify(given)).out);
        assert.equal(as, format);
        assert.deepEqual(output, given);
      }
    });

  test("what the format cannot express is reported", () => {
    const failed = structuredClone(whole).map((m) => (m.role === "tool" ? { ...m, is_error: true } : m));
    const { format, output, notes } = JSON.parse(cli(["convert", "-", "--to", "openai-chat", "--json"], JSON.stringify(failed)).out);
    assert.deepEqual([format, output.length], ["openai-chat", 5]);
    assert.deepEqual(notes, [{ index: 3, what: "`is_error` is left out: Chat Completions tool messages have no such field" }]);
    const { out } = cli(["convert", "-", "--to", "openai-chat"], JSON.stringify(failed));
    assert.match(out, /✓ 1 note\n\s+\[3\]\s+`is_error` is left out/);
    assert.match(out, /not written: --out FILE writes it, --json prints it/);
  });

  test("without --to, or with two outputs: exit 2", () => {
    for (const args of [["convert", wholeFile], ["convert", wholeFile, "--to", "yaml"], ["convert", wholeFile, "--to", "ai-sdk", "--json", "--out", "-"]]) {
      const { code, err, out } = cli(args);
      assert.deepEqual([code, out], [2, ""]);
      assert.match(err, /^contextfold: USAGE: /);
    }
  });
});

describe("recorded files", { skip: missing }, () => {
  // Requests that providers refused, and a client's records of interrupted sessions; the part that was sent is stored beside each.
  const REFUSED = /rejected-by-the-api|pi-(before-compaction|large-session)\.anthropic/;
  const under = (name, ends) =>
    readdirSync(join(recorded, name), { recursive: true }).filter((path) => path.endsWith(ends)).map((path) => join(recorded, name, path));
  const files = missing ? [] : [...under("recorded-requests", ".jsonl"), ...under("long-sessions", ".json"), ...under("dialogs", ".json")];

  test("check exits with 0 for each accepted request and 1 for each refused one", () => {
    assert.ok(files.length > 20);
    for (const path of files) assert.equal(cli(["check", path]).code, REFUSED.test(path) ? 1 : 0, path);
  });

  test("the refused requests can be repaired", () => {
    for (const path of files.filter((path) => REFUSED.test(path) && path.endsWith(".json"))) {
      const out = join(folder, "mended.json");
      assert.equal(cli(["repair", path, "--out", out]).code, 0, path);
      assert.equal(cli(["check", out]).code, 0, path);
    }
  });
});
