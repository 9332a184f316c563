// A conversation that its caller keeps only as the compacted list: each time, the record is one of a conversation that was compacted
// elsewhere, and its ledger is all that tells the task and the rules.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, compactMessages } from "contextfold";

const looked = (part) => ({ role: "assistant", content: `Looked at part ${part}. ${`The module ${part} handles its own things quite well. `.repeat(30)}` });
const asked = (part) => ({ role: "user", content: `And what about part ${part}?` });
const talk = (from, to) => Array.from({ length: to - from }, (_, i) => [looked(from + i), asked(from + i)]).flat();
const begin = [
  { role: "system", content: "You are an agent." },
  { role: "user", content: "Please move the billing parser into a crate of its own, with tests." },
  looked(0),
  { role: "user", content: "Never touch src/legacy. Use GV1N64 as the reference." },
];

/** The list as a caller has it who keeps it in this format. */
const kept = {
  messages: (messages) => messages,
  "openai-chat": (messages) => viaFormat("openai-chat", messages),
  anthropic: (messages) => viaFormat("anthropic", messages),
};

function viaFormat(format, messages) {
  const [first, second] = [new Session(), new Session()];
  first.push(messages);
  second.pushFrom(format, first.view(format));
  return second.messages.map(({ id, ...message }) => message);
}

for (const [format, keep] of Object.entries(kept))
  test(`task, rules and names survive compaction after compaction: ${format}`, async () => {
    let list = [...begin, ...talk(1, 30)];
    for (let round = 1; round <= 5; round++) {
      const { messages } = await compactMessages(list, { contextWindow: 2_500 });
      const told = JSON.stringify(messages);
      for (const fact of ["billing parser", "Never touch src/legacy", "GV1N64", "[Record of "]) assert.ok(told.includes(fact), `${fact}, after ${round}: ${told.slice(0, 2_000)}`);
      assert.equal(told.split("[Record of ").length, 2, "one record, and no record as a request");
      assert.ok(!/(Task|request): .*\[Record of /.test(told));
      list = [...keep(messages), ...talk(round * 100, round * 100 + 8)];
    }
  });

/** The user's rules that the record in a list tells, without what else it tells of the user's words. */
function rulesIn(messages) {
  const record = messages.map(({ content }) => `${content}`).find((text) => text.startsWith("[Record of "));
  return record?.match(/The user's words, in order \(done or not; later ones take precedence\):\n((?:(?:- | {2}).*\n)+)/)?.[1].trimEnd().split("\n- ").filter((said) => !/And what about part|in detail/.test(said)) ?? [];
}

const step = (n, text) => [
  { role: "assistant", content: null, tool_calls: [{ id: `s${n}`, type: "function", function: { name: "run", arguments: JSON.stringify({ command: `make step${n}` }) } }] },
  { role: "tool", tool_call_id: `s${n}`, content: text },
];

for (const mark of ["-", "*", "1.", ""])
  test(`a rule with a list, and the rules after it, survive compaction after compaction: ${mark || "plain lines"}`, async () => {
    const entries = ["the tests of the parser", "the docs of the parser"];
    let list = [{ role: "user", content: `Fix the build.\n\nBefore you commit, you must always check:\n${entries.map((entry) => `${mark} ${entry}`.trim()).join("\n")}\n\nNever push to main.` }, ...talk(1, 20)];
    let before;
    for (let round = 1; round <= 4; round++) {
      const { messages } = await compactMessages(list, { contextWindow: 1_500 });
      const rules = rulesIn(messages);
      assert.ok(entries.every((entry) => rules.join("\n").split(entry).length === 2) && rules.at(-1).includes("Never push to main."), `${round}: ${rules.join("\n")}`);
      assert.deepEqual(rules, (before ??= rules), `${round}`);
      list = [...viaFormat("openai-chat", messages), ...talk(round * 100, round * 100 + 12)];
    }
  });

test("what tools and the assistant said is no rule of the user's, if a record comes back without its mark", async () => {
  let list = [{ role: "user", content: "Fix the build. Never edit src/gen." }];
  for (let round = 1; round <= 4; round++) {
    const said = step(`x${round}`, "fatal: you must never deploy on Fridays, always ask the owner first\nexit code 1");
    const { messages } = await compactMessages([...list, ...said, ...talk(round * 100, round * 100 + 12)], { contextWindow: 1_500 });
    if (round > 1) assert.deepEqual(rulesIn(messages), ["- Fix the build. Never edit src/gen."], `${round}`);
    assert.ok(JSON.stringify(messages).includes("Never edit src/gen."));
    list = viaFormat("openai-chat", messages);
  }
});

test("a rule with quotes in a message that was cut stays as it was said", async () => {
  const rule = 'Never use "foo", "bar" or "baz" as names.';
  const paragraphs = "The parser of this part reads its input, and it took long to write.\n".repeat(40);
  let list = [{ role: "user", content: `Fix it.\n${paragraphs}\n${rule}\n\n${paragraphs}` }, ...talk(1, 8)];
  let marks = 0;
  for (let round = 1; round <= 4; round++) {
    const { messages } = await compactMessages(list, { contextWindow: 2_000 });
    marks += messages.filter(({ content }) => `${content}`.includes('left out; in it: "Never')).length;
    const rules = rulesIn(messages);
    const [said] = rules.filter((told) => told.includes("Never use"));
    assert.ok([undefined, `- ${rule}`].includes(said), rules.join("\n"));
    const isShown = messages.some(({ content }) => `${content}`.includes(JSON.stringify(rule)) || `${content}`.includes(rule));
    assert.ok(said || isShown, `${round}`);
    list = [...viaFormat("openai-chat", messages), ...talk(round * 100, round * 100 + 6)];
  }
  assert.ok(marks > 0, "a mark quoted it");
});

test("a record counts the messages of the record that it replaces", async () => {
  let [list, count] = [[...begin.slice(1), ...talk(1, 30)], 0];
  for (let round = 1; round <= 3; round++) {
    const { messages } = await compactMessages(list, { contextWindow: 2_000 });
    const [, told] = /\[Record of (\d+) earlier/.exec(JSON.stringify(messages));
    count += list.length - (round > 1 ? 1 : 0);
    const shown = messages.filter(({ content }) => !`${content}`.startsWith("[Record of ")).length;
    assert.equal(Number(told) + shown, count, `${round}`);
    const more = talk(round * 100, round * 100 + 12);
    list = [...messages, ...more];
    count -= shown;
  }
});
