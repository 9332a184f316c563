// Parts of one unit that spans messages are cut together: provider-run code and the calls it waits for, a server tool's call and its
// result, an approval and its call (INV-1).
import assert from "node:assert/strict";
import { test } from "node:test";

import { Session, check, convert, countTokens, presets } from "contextfold";

const words = (n) => "word ".repeat(n).trimEnd();
const LADDERS = ["contextfold", "spec", "rolling", "steps-design", "steps-execution", "selective", "ladder"];
const summarize = () => "<summary>Went on.</summary>";
const errors = (format, view) => check(format, view).filter(({ severity }) => severity === "error").map(({ rule }) => rule);

const code = (id) => ({ type: "server_tool_use", id, name: "code_execution", input: { code: "await query()" } });
const made = (id, by) => ({ type: "tool_use", id, name: "query", input: {}, caller: { type: "code_execution_20260120", tool_id: by } });
const answer = (id) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: words(100) }] });
const came = (id) => ({ type: "code_execution_tool_result", tool_use_id: id, content: { type: "code_execution_result", stdout: words(100), stderr: "", return_code: 0, content: [] } });

const turn = (i) => [
  { role: "user", content: `Compute ${i}. ${words(60)}` },
  { role: "assistant", content: [{ type: "text", text: "Running." }, code(`srvtoolu_${i}`), made(`toolu_${i}`, `srvtoolu_${i}`)] },
  answer(`toolu_${i}`),
  { role: "assistant", content: [came(`srvtoolu_${i}`), { type: "text", text: `It is ${i}.` }] },
];

async function* views(list) {
  for (const ladder of LADDERS) {
    for (let contextWindow = 400; contextWindow <= 2000; contextWindow += 200) {
      const session = new Session({ contextWindow, ladder, summarize });
      session.pushFrom("anthropic", list);
      try {
        await session.prepare();
      } catch {
        continue; // it does not fit, and says so
      }
      yield [`${ladder} ${contextWindow}`, session.view("anthropic")];
    }
  }
}

test("a server tool's result stays with its call, in every preset", async () => {
  const list = [0, 1, 2, 3, 4].flatMap(turn).concat({ role: "user", content: "And now?" });
  let seen = 0;
  for await (const [name, view] of views(list)) {
    assert.deepEqual(errors("anthropic", view), [], name);
    seen++;
  }
  assert.ok(seen > 20, `${seen} views`);
});

test("code that is still waiting stays with the calls it made", async () => {
  const earlier = [0, 1, 2, 3].flatMap((i) => [{ role: "user", content: `Earlier ${i}. ${words(60)}` }, { role: "assistant", content: `Done ${i}. ${words(60)}` }]);
  const list = [
    ...earlier,
    { role: "user", content: "Compute it all." },
    { role: "assistant", content: [{ type: "text", text: "Running." }, code("srvtoolu_1"), made("toolu_0", "srvtoolu_1")] },
    answer("toolu_0"),
    ...[1, 2, 3].flatMap((i) => [{ role: "assistant", content: [made(`toolu_${i}`, "srvtoolu_1")] }, answer(`toolu_${i}`)]),
  ];
  let seen = 0;
  for await (const [name, view] of views(list)) {
    assert.ok(JSON.stringify(view).includes('"id":"srvtoolu_1"'), `${name}: the code is gone`);
    assert.ok(view.messages.at(-1).content.every(({ type }) => type === "tool_result"), name);
    seen++;
  }
  assert.ok(seen > 10, `${seen} views`);
});

for (const approved of [true, false]) {
  test(`a call that the AI SDK has yet to run stays open (approved: ${approved})`, async () => {
    const list = [
      { role: "user", content: "Delete the file." },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "d1", toolName: "rm", input: {} }, { type: "tool-approval-request", approvalId: "ap1", toolCallId: "d1" }] },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "ap1", approved }] },
    ];
    const session = new Session({ contextWindow: 100_000 });
    session.pushFrom("ai-sdk", list);
    await session.prepare();
    assert.deepEqual(session.view("ai-sdk"), list);
    session.pushFrom("ai-sdk", [{ role: "user", content: "Never mind." }]);
    await session.prepare();
    assert.deepEqual(errors("ai-sdk", session.view("ai-sdk")), [], "what nobody waits for any more is answered");
  });
}

test("the newest user message stays whole if it fits with the header", async () => {
  const newest = "Vary the sentence structure, and start a line with a verb. ".repeat(14);
  const list = [
    { role: "system", content: "You are helpful." },
    { role: "user", content: "Write a short poem about the fall." },
    { role: "assistant", content: "Golden leaves dance in the gentle breeze, whispering secrets among the trees. ".repeat(6) },
    { role: "user", content: newest },
  ];
  for (const ladder of LADDERS) {
    const steps = '<compact_summary>{"current_progress":"a poem","pending_actions":["vary it"],"execution_output_dir":"out"}</compact_summary>';
    const session = new Session({ contextWindow: 300, ladder, summarize: ladder.startsWith("steps") ? () => steps : summarize });
    session.push(list);
    const { messages, report } = await session.prepare();
    assert.ok(messages.some(({ content }) => content === newest), `${ladder} cut it`);
    assert.ok(countTokens(messages) <= 300, ladder);
    assert.ok(report.decisions.length > 0);
  }
});

test("for the AI SDK a step is one message without empty texts, and an image made by the assistant is a file", () => {
  const use = (id) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] });
  const result = (id) => ({ type: "tool_result", tool_use_id: id, content: "ok" });
  const steps = [{ role: "user", content: "Go on." }, use("a"), use("b"), { role: "user", content: [result("a"), result("b")] }];
  assert.deepEqual(convert("anthropic", "ai-sdk", steps).map(({ role }) => role), ["user", "assistant", "tool"]);

  const empty = [{ role: "user", content: "Hi." }, { role: "assistant", content: "" }, { role: "user", content: "Next." }];
  assert.deepEqual(convert("openai-chat", "ai-sdk", empty).map(({ role }) => role), ["user", "user"]);

  const drawn = [{ role: "user", content: "Draw." }, { role: "assistant", content: [{ type: "image", data: "iVBORw0KGgo=", media_type: "image/png" }] }];
  assert.deepEqual(convert("messages", "ai-sdk", drawn)[1].content, [{ type: "file", data: "iVBORw0KGgo=", mediaType: "image/png" }]);
});

test("our own messages come back unchanged from every format", () => {
  const call = (id) => ({ id, type: "function", function: { name: "read", arguments: "{}" } });
  const list = [
    { role: "system", content: "You are careful." },
    { role: "user", content: "Go." },
    { role: "assistant", content: null, tool_calls: [call("a"), call("b")] },
    { role: "tool", tool_call_id: "a", content: "1" },
    { role: "tool", tool_call_id: "b", content: "2" },
    { role: "assistant", content: "Done." },
  ];
  for (const format of ["openai-responses", "openai-chat", "anthropic", "ai-sdk"]) {
    assert.deepEqual(convert(format, "messages", convert("messages", format, list)), list, format);
  }
});

test("reasoning beside a developer message, or calls beside content, is recognised as our own format", () => {
  const reasoning = [{ type: "reasoning", text: "hm" }, { type: "text", text: "a" }];
  const session = new Session({ contextWindow: 9000 });
  session.push([{ role: "developer", content: "Be brief." }, { role: "user", content: "q" }, { role: "assistant", content: reasoning }]);
  assert.equal(countTokens(session.view("messages")), session.tokens);
});

test("a request to approve a tool is never approved by us", async () => {
  const request = { type: "mcp_approval_request", id: "mcpr_1", server_label: "files", name: "delete", arguments: "{}" };
  const session = new Session({ contextWindow: 9000 });
  const approvals = () => session.view("openai-responses").input.filter(({ type }) => type === "mcp_approval_response");
  session.pushFrom("openai-responses", [{ role: "user", content: "Clean up." }, request, { role: "user", content: "Wait, which files?" }]);
  await session.prepare();
  assert.deepEqual(approvals().map(({ approve }) => approve), [false], "while the user has not answered");
  const given = { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true };
  session.pushFrom("openai-responses", [given]);
  assert.equal(approvals().length, 1);
  assert.equal(approvals()[0], given);
});

test("the output of a shell that the provider runs belongs to its call, also if items come one by one", async () => {
  const turn = (n) => [
    { role: "user", content: `question ${n}` },
    { type: "reasoning", id: `rs_${n}`, summary: [] },
    { type: "shell_call", id: `sh_${n}`, call_id: `call_${n}`, status: "completed", environment: { type: "container_reference", container_id: "cntr_1" }, action: { commands: ["make"], timeout_ms: null, max_output_length: null } },
    { type: "shell_call_output", id: `sho_${n}`, call_id: `call_${n}`, status: "completed", max_output_length: null, output: [{ stdout: "a line of the log\n".repeat(200), stderr: "", outcome: { type: "exit", exit_code: 0 } }] },
    { type: "message", id: `msg_${n}`, role: "assistant", status: "completed", content: [{ type: "output_text", text: `answer ${n}`, annotations: [] }] },
  ];
  const list = [0, 1, 2, 3, 4].flatMap(turn);
  const whole = new Session({ contextWindow: 100_000 });
  whole.pushFrom("openai-responses", list);
  const { input } = whole.view("openai-responses");
  assert.equal(input.length, list.length);
  input.forEach((item, i) => assert.equal(item, list[i]));
  const session = new Session({ contextWindow: 2000 });
  for (const item of list) {
    session.pushFrom("openai-responses", [item]);
    await session.prepare();
    const found = check("openai-responses", session.view("openai-responses"), { pending: true }).filter(({ severity }) => severity === "error");
    assert.deepEqual(found, []);
  }
  assert.ok(session.report.decisions.length > 0 || session.folds().length > 0);
});

test("reasoning whose call is still to come stays, whatever is folded meanwhile", async () => {
  for (const ladder of Object.keys(presets))
    for (const run of ["prepare", "compact"]) {
      const summarize = ladder.startsWith("steps") ? undefined : () => "<summary>So far.</summary>";
      const session = new Session({ contextWindow: 1000, ladder, summarize });
      const words = (n) => `question ${n} about the build `.repeat(60);
      for (let n = 0; n < 3; n++)
        session.pushFrom("openai-responses", [{ role: "user", content: words(n) }, { type: "message", id: `msg_${n}`, role: "assistant", status: "completed", content: [{ type: "output_text", text: words(n), annotations: [] }] }]);
      session.pushFrom("openai-responses", [{ role: "user", content: "and now?" }]);
      session.pushFrom("openai-responses", [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }]);
      await session[run]().catch((error) => assert.ok(["CONTEXT_WINDOW_EXCEEDED", "BUDGET_IMPOSSIBLE", "SUMMARY_FAILED"].includes(error.code), error.code));
      session.pushFrom("openai-responses", [{ type: "function_call", id: "fc_1", call_id: "c1", name: "run", arguments: "{}" }]);
      session.pushFrom("openai-responses", [{ type: "function_call_output", call_id: "c1", output: "ok" }]);
      const items = session.view("openai-responses").input.slice(-3).map(({ type }) => type);
      assert.deepEqual(items, ["reasoning", "function_call", "function_call_output"], `${ladder}, ${run}`);
    }
});

test("items that came one by one lose their ids if a pass drops the reasoning that led to them", async () => {
  const message = (n, text) => ({ type: "message", id: `msg_${n}`, role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] });
  const session = new Session({ contextWindow: 2000, ladder: [{ pass: "drop_old_tool_results", keepSteps: 1 }] });
  const list = [];
  for (let n = 0; n < 4; n++)
    list.push({ role: "user", content: `question ${n}` }, { type: "reasoning", id: `rs_${n}`, summary: [] }, { type: "function_call", id: `fc_${n}`, call_id: `call_${n}`, name: "run", arguments: "{}" }, { type: "function_call_output", call_id: `call_${n}`, output: words(300) }, { type: "reasoning", id: `rs_${n}_end`, summary: [] }, message(n, `answer ${n}`));
  list.push({ role: "user", content: "and now?" });
  for (const item of list) session.pushFrom("openai-responses", [item]);
  await session.prepare();
  const { input } = session.view("openai-responses");
  assert.ok(input.length < list.length, "the pass dropped something");
  assert.deepEqual(check("openai-responses", input, { original: list }).filter(({ severity }) => severity === "error"), []);
  for (const item of input.filter(({ type }) => type === "reasoning")) assert.ok(list.includes(item), "what is whole stays the very object");
});
