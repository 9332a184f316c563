// A text cut evenly stays as it was sent, or becomes shorter: a later cut never lengthens it, so that the prompt cache stays valid.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Session, convert } from "contextfold";

const recorded = convert("openai-responses", "messages", JSON.parse(readFileSync(new URL("../../examples/transcript.responses.json", import.meta.url), "utf8")));
const isCut = (message) => /tokens left out/.test(JSON.stringify(message));
const length = (message) => JSON.stringify(message).length;

/** The runs of the recorded session that edited the view: the view before and after, by id, and the report. */
async function edits(options) {
  const session = new Session({ contextWindow: 32_000, safetyMargin: 0, summarize: () => "<summary>They mend the build.</summary>" });
  const found = [];
  let before = new Map();
  for (const message of recorded) {
    if (message.role === "assistant") {
      const { report, messages } = await session.prepare(options);
      const after = new Map(session.items().map(({ id }, at) => [id, messages[at]]));
      const passes = report.decisions.map(({ pass }) => pass);
      if (passes.includes("even_cut")) found.push({ report, before, after, folded: passes.includes("summarize") });
      before = after;
    }
    session.push(message);
  }
  session.free();
  return found;
}

test("a later cut lengthens no earlier cut unless there was a fold", async () => {
  const cuts = (await edits()).filter(({ folded }) => !folded);
  let kept = 0;
  for (const { before, after } of cuts)
    for (const [id, message] of before)
      if (isCut(message) && after.has(id)) {
        // The names in its mark may change if it is cut again and shorter.
        assert.ok(length(after.get(id)) <= length(message) + 80, id);
        kept += JSON.stringify(after.get(id)) === JSON.stringify(message) ? 1 : 0;
      }
  assert.ok(kept > 50, `${kept} stayed as they were sent`);
});

test("if the prompt cache holds nothing of the view any more, texts may be lengthened again", async () => {
  const cuts = (await edits({ idleMs: 3_600_000 })).filter(({ folded }) => !folded);
  const longer = cuts.flatMap(({ before, after }) => [...before].filter(([id, message]) => isCut(message) && after.has(id) && length(after.get(id)) > length(message) + 80));
  assert.ok(longer.length > 0);
});

test("a fold reduces the view further than a cut", async () => {
  const all = await edits();
  const [folds, cuts] = [all.filter(({ folded }) => folded), all.filter(({ folded }) => !folded)];
  assert.ok(folds.length > 0 && cuts.length > 0);
  for (const { report } of folds) assert.ok(report.target < 16_000 && report.tokens_after <= report.target, `${report.tokens_after} of ${report.target}`);
  assert.ok(Math.max(...cuts.map(({ report }) => report.tokens_after)) > Math.max(...folds.map(({ report }) => report.tokens_after)));
});

/** The tool output of the first call in a view that had to be cut. */
async function cutOutput(command, output) {
  const session = new Session({ contextWindow: 4_000, safetyMargin: 0 });
  const call = (id, args, content) => [
    { role: "assistant", content: "", tool_calls: [{ id, type: "function", function: { name: "bash", arguments: JSON.stringify({ command: args }) } }] },
    { role: "tool", tool_call_id: id, content },
  ];
  session.push([{ role: "user", content: "Mend the build." }, ...call("c0", command, output)]);
  for (let n = 1; n <= 6; n++) session.push(call(`c${n}`, `cat part${n}.txt`, `${n} is a line of a long file.\n`.repeat(60)));
  const { messages } = await session.prepare();
  session.free();
  return JSON.stringify(messages.find((message) => message.role === "tool" && message.tool_call_id === "c0"));
}

test("a line that names an error is quoted if it was cut away", async () => {
  const lines = (word) => Array.from({ length: 60 }, (_, n) => `${word} unit ${n}`).join("\n");
  const view = await cutOutput("make all", `${lines("compiling")}\nerror: cannot find the function read_line\n${lines("checking")}`);
  assert.match(view, /tokens left out; in it: .*error: cannot find the function read_line/);
});

test("of JSON, top-level fields are kept before nested ones", async () => {
  const items = Array.from({ length: 60 }, (_, n) => ({ sku: `item ${n}`, price: n }));
  const view = await cutOutput("curl -s localhost/orders/7", JSON.stringify({ order: "7", items, state: "paid", city: "Oslo" }, null, 2));
  assert.match(view, /tokens left out/);
  for (const kept of ['order\\\\":\\\\"7', 'state\\\\":\\\\"paid', 'city\\\\":\\\\"Oslo']) assert.match(view, new RegExp(kept));
});
