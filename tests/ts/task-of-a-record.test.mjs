// What a record tells of the user's requests: those that matter now, once each.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session } from "contextfold";

const user = (content) => ({ role: "user", content });
const said = (content) => ({ role: "assistant", content });
const long = (n) => said(`Answer ${n}. ${"It is done as it was asked, and nothing else was touched. ".repeat(12)}`);

/** What the user said, by the ledger after `messages`: its entries. */
async function told(messages, contextWindow = 3_000) {
  const session = new Session({ contextWindow, safetyMargin: 0 });
  session.push(messages);
  const view = (await session.prepare()).messages;
  session.free();
  const at = view.findIndex(({ content }) => content?.startsWith("[Record of "));
  const [, list = ""] = view[at].content.split("The user's words, in order (done or not; later ones take precedence):\n");
  const end = list.search(/^(?!- |  )/m);
  return list.slice(0, end).split(/^- /m).slice(1).map((entry) => entry.trim());
}

// Requests that differ only by their numbers go on with the same task.
const named = (n) => `Please plan the trip to ${"abcdefgh"[n % 8]}${"klmnopqr"[n >> 3]} for next summer`;
const chat = (turns) => Array.from({ length: turns }, (_, n) => [user(named(n)), long(n)]).flat();

test("the first request is told while the user may still mean it, and later the latest ones", async () => {
  const first = named(0);
  const early = await told([...chat(12), user("Go on, please.")], 1_600);
  assert.equal(early[0], first, early.join("\n"));
  const late = (await told([...chat(60), user("Go on, please.")], 1_600)).join("\n");
  for (const n of [54, 55]) assert.ok(late.includes(named(n)), late);
});

test("a list of rules is told once", async () => {
  const rules = ["Never push to main", "Always run the tests before you commit", "Don't add dependencies"];
  for (const mark of [(n) => `${n}. `, (n) => `${n}) `, () => "- "])
    for (const stop of [".", ""]) {
      const list = rules.map((rule, n) => `${mark(n + 1)}${rule}${stop}`).join("\n");
      const words = await told([user(`Some rules for all of it:\n${list}\n\nThen move the parser into its own crate.`), ...chat(2).slice(1), ...Array.from({ length: 20 }, (_, n) => long(n)), user("Go on, please.")]);
      const all = words.join("\n");
      assert.ok(rules.every((rule) => all.split(rule).length === 2), `${list}\n→ ${all}`);
    }
});

test("a question that was answered is not among the user's words", async () => {
  const words = await told([user("Is the cache only used for the tests?"), long(0), ...chat(30), user("Go on, please.")]);
  assert.ok(!words.some((line) => line.endsWith("?")), words.join("\n"));
});
