// readTranscript reads every kind of transcript. The session files here are made up after the agents' own formats.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Session, check } from "contextfold";
import { TranscriptError, readTranscript } from "contextfold/transcript";

const lines = (list) => list.map((value) => `${JSON.stringify(value)}\n`).join("");
const chat = [
  { role: "user", content: "Hello" },
  { role: "assistant", content: "Hi." },
  { role: "user", content: "Bye" },
];

/** A line of a Claude Code session file. */
const claude = (uuid, parentUuid, type, message, more = {}) => ({
  parentUuid, isSidechain: false, userType: "external", cwd: "/home/me/project", sessionId: "0b5e", version: "2.0.0", type, message, uuid, timestamp: "2026-01-01T00:00:00.000Z", ...more,
});
const says = (id, block, usage) => ({ id, type: "message", role: "assistant", model: "claude-sonnet-4-5-20250929", content: [block], stop_reason: null, ...(usage && { usage }) });
const use = (id) => ({ type: "tool_use", id, name: "Read", input: { file_path: `${id}.rs` } });
const result = (id) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `what ${id} holds` }] });
const usage = { input_tokens: 10, cache_creation_input_tokens: 200, cache_read_input_tokens: 1000, output_tokens: 50 };

const claudeSession = [
  { type: "summary", summary: "Reading files", leafUuid: "a9" },
  { type: "file-history-snapshot", messageId: "m", snapshot: {}, isSnapshotUpdate: false },
  claude("a1", null, "user", { role: "user", content: "What is in a and b?" }),
  claude("a2", "a1", "assistant", says("msg_1", { type: "thinking", thinking: "Both.", signature: "c2ln" }, usage)),
  claude("a3", "a2", "assistant", says("msg_1", use("a"), usage)),
  claude("a4", "a3", "user", result("a"), { toolUseResult: {} }),
  claude("a5", "a3", "assistant", says("msg_1", use("b"), usage)),
  claude("s1", "a5", "user", { role: "user", content: "A sub-agent's prompt" }, { isSidechain: true }),
  claude("a6", "a5", "user", result("b"), { toolUseResult: {} }),
  claude("a7", "a6", "assistant", says("msg_2", { type: "text", text: "This and that." }, usage)),
  claude("a8", "a7", "user", { role: "user", content: "Delete it." }),
  claude("a9", "a8", "assistant", says("msg_3", { type: "text", text: "Deleted." }, usage)),
  // Rewound to before a8, and continued differently.
  claude("b1", "a7", "user", { role: "user", content: "Keep it." }),
  claude("b2", "b1", "assistant", { id: "x", role: "assistant", model: "<synthetic>", content: [{ type: "text", text: "API Error" }] }, { isApiErrorMessage: true }),
  claude("b3", "b1", "assistant", says("msg_4", { type: "text", text: "Kept." }, usage)),
];

test("a Claude Code session file gives the conversation that was sent", () => {
  const read = readTranscript(lines(claudeSession));
  assert.deepEqual([read.source, read.format, read.shape, read.model], ["claude-code", "anthropic", "lines", "claude-sonnet-4-5-20250929"]);
  assert.deepEqual(
    read.items.map(({ role, content }) => [role, typeof content === "string" ? content : content.map((block) => block.text ?? block.thinking ?? block.id ?? block.tool_use_id).join(" ")]),
    [
      ["user", "What is in a and b?"],
      ["assistant", "Both. a b"],
      ["user", "a b"],
      ["assistant", "This and that."],
      ["user", "Keep it."],
      ["assistant", "Kept."],
    ],
  );
  assert.deepEqual(check("anthropic", read.body).filter((found) => found.severity === "error"), []);
  assert.deepEqual(read.notes, ["left out: 1 entry, of sub-agents", "left out: 1 entry, an error of the API, not written by the model", "left out: 2 entries, rewound"]);
  assert.deepEqual(read.usage, { input_tokens: 3 * 1210, cached_tokens: 3000, cache_write_tokens: 600, output_tokens: 150, calls: 3 });
  const session = new Session();
  assert.equal(session.pushFrom(read.format, read.body ?? read.items).length, 7);
  session.free();
});

test("sub-agents' conversations are returned with a Claude Code session, each with the call that started it", () => {
  const task = { type: "tool_use", id: "toolu_task", name: "Task", input: { subagent_type: "Explore", description: "the parser", prompt: "Read the parser" } };
  const beside = { isSidechain: true };
  const session = [
    claude("a1", null, "user", { role: "user", content: "Look at the parser." }),
    claude("a2", "a1", "assistant", says("msg_1", task)),
    claude("s1", null, "user", { role: "user", content: [{ type: "text", text: "Read the parser" }] }, beside),
    claude("t1", null, "user", { role: "user", content: "Something else" }, { ...beside, agentId: "t" }),
    claude("s2", "s1", "assistant", says("msg_s", use("s")), beside),
    claude("s3", "s2", "user", result("s"), beside),
    claude("t2", "t1", "assistant", says("msg_t", { type: "text", text: "Done." }), { ...beside, agentId: "t" }),
    claude("a3", "a2", "user", result("toolu_task")),
  ];
  const read = readTranscript(lines(session));
  assert.equal(read.items.length, 3);
  assert.deepEqual(
    read.lanes.map(({ name, call, messages }) => [name, call, messages.map(({ role }) => role).join()]),
    [
      ["Explore: the parser", "toolu_task", "user,assistant,user"],
      ["sub-agent 2", undefined, "user,assistant"],
    ],
  );
  assert.deepEqual(read.notes, ["left out: 5 entries, of sub-agents"]);
  // A sub-agent's own file is the conversation.
  const own = readTranscript(lines(session.filter((line) => line.isSidechain && line.agentId)));
  assert.deepEqual([own.items.length, own.lanes, own.notes], [2, [], []]);
});

test("after a compaction the summary is replaced by the messages it covers", () => {
  const compacted = [
    ...claudeSession.slice(0, 10),
    { ...claude("c1", null, "system", undefined), subtype: "compact_boundary", logicalParentUuid: "a7" },
    claude("c2", "c1", "user", { role: "user", content: "This session is being continued …" }, { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
    claude("c3", "c2", "user", { role: "user", content: "Go on." }),
  ];
  const read = readTranscript(lines(compacted));
  assert.equal(read.items.length, 5);
  assert.equal(read.items.at(-1).content, "Go on.");
  assert.deepEqual(read.notes.at(-1), "left out: 1 entry, a summary of messages that are here in full");
});

const rollout = (type, payload) => ({ timestamp: "2026-01-01T00:00:00.000Z", type, payload });
const message = (role, text) => ({ type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] });
const codexItems = [
  message("user", "What is in a?"),
  { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
  { type: "function_call", name: "shell", arguments: '{"command":["cat","a"]}', call_id: "call_1" },
  { type: "function_call_output", call_id: "call_1", output: "this" },
  message("assistant", "This."),
];
const tokens = (input, cached, output) => rollout("event_msg", { type: "token_count", info: { total_token_usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: output, total_tokens: input + output } } });

test("a Codex rollout gives the items that were sent", () => {
  const read = readTranscript(
    lines([
      rollout("session_meta", { id: "0", cwd: "/home/me", cli_version: "0.60.0", instructions: null, base_instructions: { text: "You are a coding agent." } }),
      rollout("turn_context", { cwd: "/home/me", model: "gpt-5-codex", effort: "medium" }),
      rollout("event_msg", { type: "user_message", message: "What is in a?" }),
      ...codexItems.slice(0, 3).map((item) => rollout("response_item", item)),
      tokens(1000, 0, 20),
      rollout("response_item", { type: "ghost_snapshot", ghost_commit: { id: "1" } }),
      ...codexItems.slice(3).map((item) => rollout("response_item", item)),
      tokens(2500, 900, 50),
      rollout("compacted", { message: "A summary." }),
    ]),
  );
  assert.deepEqual([read.source, read.format, read.model, read.key], ["codex", "openai-responses", "gpt-5-codex", "input"]);
  assert.deepEqual(read.body, { instructions: "You are a coding agent.", input: codexItems });
  assert.deepEqual(read.usage, { input_tokens: 2500, cached_tokens: 900, cache_write_tokens: 0, output_tokens: 50, calls: 2 });
  assert.equal(read.notes.length, 2);
  const old = readTranscript(lines([{ id: "0", timestamp: "2025-05-01T00:00:00Z", instructions: null }, codexItems[0], { record_type: "state" }, ...codexItems.slice(1)]));
  assert.deepEqual([old.source, old.body], ["codex", { input: codexItems }]);
});

test("in an agent's file an incomplete last line is ignored", () => {
  const text = lines(claudeSession);
  const read = readTranscript(text.slice(0, -20));
  assert.deepEqual(read.items.at(-1), { role: "user", content: "Keep it." });
  assert.equal(read.notes.at(-1), `line ${claudeSession.length} is broken and was left out`);
});

test("a broken file gives the position, and its readable part on request", () => {
  const cut = JSON.stringify({ model: "m", tools: [{ messages: [1, 2] }], messages: chat }).slice(0, -20);
  const cases = [
    [JSON.stringify(chat).slice(0, -10), 1, 2],
    [cut, 1, 2],
    [`${lines(chat.slice(0, 2))}{"role":\n${lines(chat.slice(2))}`, 3, 3],
    ['[{"role":"user" "content":"x"}]', 1, 0],
    ["hello", 1, 0],
  ];
  for (const [text, line, readable] of cases) {
    let thrown;
    assert.throws(() => readTranscript(text), (error) => ((thrown = error), error instanceof TranscriptError && error.kind === "broken"), text);
    assert.deepEqual([thrown.place.line, thrown.readable, thrown.partial !== null], [line, readable, readable > 0], text);
    assert.equal(thrown.place.excerpt.length > thrown.place.caret || thrown.place.caret > 0, true, text);
    if (!readable) continue;
    for (const read of [thrown.partial(), readTranscript(text, { partial: true })]) {
      assert.deepEqual(read.items, chat.slice(0, readable), text);
      assert.match(read.notes[0], /left out/);
    }
  }
  assert.equal(readTranscript(cut, { partial: true }).body.model, "m");
});

test("a file that is not a transcript is refused, and the error says what it is", () => {
  const cases = [
    ["", "empty", /is empty/],
    ["42", "foreign", /holds a number/],
    ['{"name":"x","version":1}', "foreign", /“name”, “version”/],
    ['[{"a":1}]', "foreign", /entry 0 has neither a role nor a type, but “a”/],
    ['[{"role":"user","content":"x"},7]', "foreign", /entry 1 is a number/],
    ["[]", "foreign", /no messages/],
  ];
  for (const [text, kind, why] of cases) assert.throws(() => readTranscript(text), (error) => error.kind === kind && why.test(error.what) && error.place === null, text);
});

test("what is no text is refused in the same way", () => {
  for (const given of [undefined, null, 5, Buffer.from("[]")])
    assert.throws(() => readTranscript(given), (error) => error instanceof TranscriptError && error.kind === "foreign" && /utf8/.test(error.what), String(given));
});

test("the command line reads them, and says what was left out", () => {
  const main = fileURLToPath(new URL("../../pkg/cli/main.js", import.meta.url));
  const cli = (args, input) => spawnSync(process.execPath, [main, ...args], { encoding: "utf8", input });
  const { stdout, status } = cli(["inspect", "-"], lines(claudeSession));
  assert.equal(status, 0);
  assert.match(stdout, /Claude Code session file/);
  assert.match(stdout, /3 calls: 3,630 tokens in \(83 % cached\), 150 out/);
  assert.match(stdout, /left out: 2 entries, rewound/);
  const broken = JSON.stringify(chat).slice(0, -10);
  const refused = cli(["count", "-"], broken);
  assert.equal(refused.status, 3);
  assert.match(refused.stderr, /line 1, column .*--partial reads the 2 entries/);
  assert.equal(cli(["count", "-", "--partial", "--json"], broken).status, 0);
});
