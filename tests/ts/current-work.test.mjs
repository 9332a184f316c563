// What a record and cut messages say in a long session: what is current, and nothing twice.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session } from "contextfold";

const words = (count, topic) => Array.from({ length: count }, (_, i) => `${topic}${i % 89}`).join(" ");
const call = (id, name, args) => ({ role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }] });
const output = (id, content) => ({ role: "tool", tool_call_id: id, content });
const step = (id, content, name = "look", args = { at: id }) => [call(id, name, args), output(id, content)];
const textOf = (messages) => messages.map(({ content }) => content ?? "").join("\n");
const recordOf = (messages) => textOf(messages).match(/\[Record of[^]*?\[End of the record\]/)?.[0] ?? "";

test("an edit whose old and new text begin and end alike shows the lines that it changes", async () => {
  const lines = (middle) => [...Array.from({ length: 60 }, (_, i) => `  before(${i});`), middle, ...Array.from({ length: 60 }, (_, i) => `  after(${i});`)].join("\n");
  const session = new Session({ contextWindow: 6_000 });
  session.push([
    { role: "user", content: "Rename it, then look at the others." },
    ...step("e", "ok", "edit", { path: "a.ts", oldText: lines("  oldName();"), newText: lines("  newName();") }),
    ...Array.from({ length: 9 }, (_, i) => step(`s${i}`, words(500, `w${i}x`))).flat(),
  ]);
  const { messages } = await session.prepare();
  const edit = messages.flatMap(({ tool_calls = [] }) => tool_calls).find(({ id }) => id === "e");
  const { path, oldText, newText } = JSON.parse(edit.function.arguments);
  assert.equal(path, "a.ts");
  const shows = (name) => new RegExp(`^\\[… \\d+ tokens left out …\\]\n {2}before[^]*\\(59\\);\n {2}${name}\\(\\);\n {2}after\\(0\\);[^…]*\n\\[… \\d+ tokens left out …\\]$`);
  assert.match(oldText, shows("oldName"));
  assert.match(newText, shows("newName"));
});

test("a changed word in one long line is shown", async () => {
  const line = (limit, file) => `${words(300, "a")} at ${limit} in ${file} ${words(300, "b")}`;
  const session = new Session({ contextWindow: 6_000 });
  session.push([
    { role: "user", content: "Change it, then look at the others." },
    ...step("e", "ok", "edit", { old: line(30, "/etc/app/limits.toml"), new: line(60, "/etc/app/bounds.toml") }),
    ...Array.from({ length: 9 }, (_, i) => step(`s${i}`, words(500, `w${i}x`))).flat(),
  ]);
  const { messages } = await session.prepare();
  const edit = JSON.parse(messages.flatMap(({ tool_calls = [] }) => tool_calls).find(({ id }) => id === "e").function.arguments);
  assert.match(edit.old, /^\[… \d+ tokens left out …\]\n[^…]* 30 in \/etc\/app\/limits\.toml [^…]*\n\[… \d+ tokens left out …\]$/);
  assert.match(edit.new, /^\[… \d+ tokens left out …\]\n[^…]* 60 in \/etc\/app\/bounds\.toml [^…]*\n\[… \d+ tokens left out …\]$/);
});

test("what was read of the file that is being edited stands whole, however many steps ago", async () => {
  const session = new Session({ contextWindow: 9_000 });
  const edit = (id, line) => step(id, "ok", "edit", { path: "src/a.ts", oldText: `old${line}`, newText: `new${line}` });
  const read = (id, path) => step(id, words(400, `${id}x`), "read", { path });
  session.push([
    { role: "user", content: "Mend src/a.ts; the others show how." },
    ...read("a", "./src/a.ts"),
    ...Array.from({ length: 9 }, (_, i) => [...read(`r${i}`, `src/r${i}.ts`), ...edit(`e${i}`, i)]).flat(),
    ...read("last", "src/last.ts"),
  ]);
  const { messages } = await session.prepare();
  const shown = (id) => messages.find((message) => message.tool_call_id === id)?.content ?? "";
  assert.equal(shown("a"), words(400, "ax"));
  assert.match(shown("r5"), /tokens left out/);
});

test("of an output that was shown several times, only the newest is in use", async () => {
  const session = new Session({ contextWindow: 9_000 });
  const look = (id) => step(id, words(300, `${id}x`), "get_job", { job: 7 });
  session.push([
    { role: "user", content: "Wait for the job, then look at the others." },
    ...["p1", "p2", "p3", "p4"].flatMap(look),
    ...Array.from({ length: 16 }, (_, i) => step(`r${i}`, words(400, `r${i}x`), "read", { path: `src/r${i}.ts` })).flat(),
  ]);
  const { messages } = await session.prepare();
  const isWhole = (id) => !/left out/.test(messages.find((message) => message.tool_call_id === id)?.content ?? "left out");
  assert.deepEqual(["p1", "p2", "p3", "r15"].map(isWhole), [false, false, false, true]);
});

test("a mark quotes no rule that stands whole in the view", async () => {
  const rule = "Never touch the generated files.";
  const session = new Session({ contextWindow: 6_000 });
  session.push([
    { role: "user", content: `${words(300, "a")}. ${rule} ${words(300, "b")}` },
    ...Array.from({ length: 8 }, (_, i) => step(`s${i}`, words(400, `w${i}x`))).flat(),
  ]);
  session.push([{ role: "user", content: `${rule} Go on.` }]);
  const { messages } = await session.prepare();
  assert.equal(textOf(messages).split(rule).length - 1, 1);
});

test("the newest work stands whole, not what the user's message answered long ago", async () => {
  const session = new Session({ contextWindow: 12_000 });
  session.push([
    { role: "user", content: "Look around." },
    ...Array.from({ length: 4 }, (_, i) => step(`old${i}`, words(300, `o${i}x`))).flat(),
    { role: "assistant", content: "Shall I mend it?" },
    { role: "user", content: "Yes, mend it." },
    ...Array.from({ length: 8 }, (_, i) => step(`new${i}`, words(300, `n${i}x`))).flat(),
  ]);
  const { messages } = await session.prepare();
  const shown = (id) => messages.find(({ tool_call_id }) => tool_call_id === id)?.content ?? "";
  assert.equal(shown("new6"), words(300, "n6x"), "the step before the last");
  assert.ok(shown("old3").length < words(300, "o3x").length / 2);
  assert.ok(messages.some(({ content }) => content === "Shall I mend it?"));
});

test("a record tells the first request as such, and a failure only as long as it is news", async () => {
  const session = new Session({ contextWindow: 8_000 });
  const records = [];
  const ask = async (content, ...steps) => {
    session.push([{ role: "user", content }, ...steps.flat()]);
    const record = recordOf((await session.prepare()).messages);
    if (record && record !== records.at(-1)) records.push(record);
  };
  await ask("Port the settings page to the new API.", step("t", "src/a.ts(1,2): error TS2304: Cannot find name 'x'.\nexit code 2", "bash", { command: "npx tsc --noEmit" }));
  for (let i = 0; i < 40; i++) await ask(`Now do part number ${i} of the work, please.`, step(`a${i}`, words(200, `w${i}x`)), step(`b${i}`, words(200, `v${i}x`)));
  assert.ok(records.length > 2, String(records.length));
  assert.match(records[0], /npx tsc --noEmit/);
  assert.match(records.at(-1), /- Port the settings page to the new API\./);
  assert.doesNotMatch(records.at(-1), /npx tsc --noEmit/);
});

test("an answer is called the last one only if nothing of the record came after it", async () => {
  const session = new Session({ contextWindow: 6_000 });
  session.push([
    { role: "user", content: "What is the plan for the parser?" },
    { role: "assistant", content: "The plan for the parser has three parts, and the first one is the lexer." },
    { role: "user", content: "Begin with it." },
    ...Array.from({ length: 30 }, (_, i) => step(`s${i}`, words(300, `w${i}x`))).flat(),
  ]);
  const record = recordOf((await session.prepare()).messages);
  assert.ok(record);
  assert.doesNotMatch(record, /Last answer in this record/);
});

test("the rest of a character that a first chunk of bytes cut off is completed by append", async () => {
  const text = "日本語のテキスト\n".repeat(5);
  const bytes = new TextEncoder().encode(text);
  const { toolOutputs } = new Session();
  for (const size of [4, 5, 7]) {
    const { id } = toolOutputs.put(bytes.subarray(0, size));
    toolOutputs.append(id, bytes.subarray(size));
    assert.equal(await toolOutputs.get(id), text);
  }
});

test("a refusal for an image is another error if there is no image", async () => {
  const session = new Session({ contextWindow: 100_000 });
  session.push([{ role: "user", content: "Hi." }]);
  assert.equal(await session.recover(new Error("image exceeds 5 MB maximum")), null);
});

test("usage of an answer with the provider's own tools corrects no counts", async () => {
  const after = async (usage) => {
    const session = new Session({ contextWindow: 100_000 });
    session.push([{ role: "user", content: words(900, "x") }]);
    const { report } = await session.prepare();
    session.recordUsage(usage(report.tokens_after * 3));
    return (await session.prepare()).report.counter.calibration;
  };
  assert.ok((await after((n) => ({ input_tokens: n, output_tokens: 5, server_tool_use: { web_search_requests: 0 } }))) > 2);
  assert.equal(await after((n) => ({ input_tokens: n, output_tokens: 5, server_tool_use: { web_search_requests: 2 } })), 1);
  assert.equal(await after((n) => ({ promptTokenCount: n, toolUsePromptTokenCount: n, candidatesTokenCount: 5 })), 1);
});
