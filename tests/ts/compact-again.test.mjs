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
