// What a record tells of the user's requests: those that matter now, once each.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session } from "contextfold";

const user = (content) => ({ role: "user", content });
const said = (content) => ({ role: "assistant", content });
const long = (n) => said(`Answer ${n}. ${"It is done as it was asked, and nothing else was touched. ".repeat(12)}`);

/** The lists of the ledger after `messages`, by title. */
async function told(messages, contextWindow = 3_000) {
  const session = new Session({ contextWindow, safetyMargin: 0 });
  session.push(messages);
  const view = (await session.prepare()).messages;
  session.free();
  const at = view.findIndex(({ content }) => content?.startsWith("[Record of "));
  const lists = {};
  let title;
  for (const line of view[at].content.split("\n")) {
    if (line.startsWith("- ")) lists[title]?.push(line.slice(2));
    else if (line.endsWith(":")) lists[(title = line.slice(0, -1))] = [];
    else title = undefined;
  }
  return { lists };
}

// Requests that differ only by their numbers go on with the same task.
const named = (n) => `Please plan the trip to ${"abcdefgh"[n % 8]}${"klmnopqr"[n >> 3]} for next summer`;
const chat = (turns) => Array.from({ length: turns }, (_, n) => [user(named(n)), long(n)]).flat();

test("the first request is told while the user may still mean it, and then no more", async () => {
  const first = named(0);
  const early = (await told([...chat(12), user("Go on, please.")], 1_600)).lists.Task;
  assert.ok(early.includes(`At first: ${first}`), early.join("\n"));
  const late = (await told([...chat(60), user("Go on, please.")])).lists.Task;
  assert.ok(!late.join("\n").includes(first), late.join("\n"));
  assert.match(late.join("\n"), /^Lately: Please plan/m);
});

test("a list of rules is told once, and leaves nothing of itself in the task", async () => {
  const rules = ["Never push to main", "Always run the tests before you commit", "Don't add dependencies"];
  for (const mark of [(n) => `${n}. `, (n) => `${n}) `, () => "- "])
    for (const stop of [".", ""]) {
      const list = rules.map((rule, n) => `${mark(n + 1)}${rule}${stop}`).join("\n");
      const { lists } = await told([user(`Some rules for all of it:\n${list}\n\nThen move the parser into its own crate.`), ...chat(2).slice(1), ...Array.from({ length: 20 }, (_, n) => long(n)), user("Go on, please.")]);
      const task = lists.Task.join("\n");
      assert.ok(rules.every((rule) => !task.includes(rule)) && !/\d[.)]/.test(task), `${list}\n→ ${task}`);
    }
});

test("a question that was answered is not among the user's words", async () => {
  const { lists } = await told([user("Is the cache only used for the tests?"), long(0), ...chat(30), user("Go on, please.")]);
  assert.ok(!lists["The user's words, in order (done or not; later ones take precedence)"]?.some((line) => line.endsWith("?")));
});
