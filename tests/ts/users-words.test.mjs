// What a record tells of the user's words: whole messages, in order, so that a correction, an answer or the other half of a message is
// never missing beside what it belongs to.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, compactMessages } from "contextfold";

const user = (content) => ({ role: "user", content });
const said = (content) => ({ role: "assistant", content });
const filler = (n) => said(`Step ${n}. ${`The part numbered ${n} was read and nothing in it had to change. `.repeat(12)}`);

/** The entries of the user's words in the record after `messages` and much else. */
async function told(messages, { contextWindow = 4_000, further = 40 } = {}) {
  const session = new Session({ contextWindow });
  session.push([user("Hello, let us begin with the work on the shop."), filler(0), ...messages, ...Array.from({ length: further }, (_, n) => filler(n + 1))]);
  session.push(user("Go on, please."));
  const { messages: view } = await session.prepare();
  session.free();
  return entries(view);
}

function entries(view) {
  const record = view.map(({ content }) => `${content}`).find((text) => text.startsWith("[Record of ")) ?? "";
  const list = /^The user's words, in order .*:\n((?:(?:- | {2}).*\n)+)/m.exec(record)?.[1] ?? "";
  return { record, list: list.split(/^- /m).slice(1).map((entry) => entry.trimEnd()) };
}

const CORRECTED = [
  ["The budget of the shop is 3,000 euros.", "Sorry, I meant 3,500."],
  ["Book the table for Friday.", "Saturday, sorry."],
  ["Leave Leipzig out then, it's a special case.", "Actually no, put it back in."],
  ["Round the figures to integers.", "Undo that."],
  ["Release the shop on the 4th.", "Postpone it."],
  ["Tell Kenji about the gift.", "Better not."],
  ["Show all the prices in dollars.", "Euros."],
  ["Nimm bitte das rote Auto.", "Doch das blaue."],
  ["Réserve une table pour samedi.", "Non, dimanche."],
  ["六人で予約してください。", "やっぱり五人で。"],
];

test("what was said is not told without what took it back at once", async () => {
  const further = [user("Please order the parts for the shop window."), filler(2)];
  for (const [before, after] of CORRECTED) {
    const { list } = await told([user(before), said("Ok, done."), user(after), said("Ok, done."), ...further]);
    const at = list.indexOf(before);
    assert.ok(at >= 0 && list[at + 1] === after, `${before} ${after}: ${list.join(" | ")}`);
  }
});

test("a correction that names the quantity is told though much was said in between", async () => {
  const between = Array.from({ length: 60 }, (_, n) => [user(`Please write chapter ${"abcdefgh"[n % 8]}${n} about the town of ${"klmnop"[n % 6]}${n}.`), filler(n)]).flat();
  const { list } = await told([user("The report has 12 pages at most."), filler(1), ...between, user("12 pages is too long, make it 8."), filler(2), ...between], { contextWindow: 3_000 });
  const [first, second] = ["The report has 12 pages at most.", "12 pages is too long, make it 8."].map((text) => list.indexOf(text));
  assert.ok(second >= 0 && first < second, list.join(" | "));
});

test("both halves of a message stay together", async () => {
  const message = "Dr. Soler says no ibuprofen for Ada, she reacted to it as a baby. Only paracetamol, 300 mg. Remember that.";
  const { list } = await told([user("What can she have?"), said("I ask the doctor."), user(message), filler(1), user("Please order the parts for the shop window."), filler(2)]);
  assert.ok(list.includes(message), list.join(" | "));
});

test("an answer that is a rule comes with its question", async () => {
  const { list } = await told([user("Count the orders of May."), said("There are 1,204. Shall I leave out test orders?"), user("Yes, always."), filler(1)]);
  assert.ok(list.includes("Yes, always. (asked: Shall I leave out test orders?)"), list.join(" | "));
});

test("a long brief is told whole, with its numbers", async () => {
  const points = ["Twelve pages at most", "British English", "Readers are councillors", "Cities: Graz, Lyon, Porto", "No paywalled sources", "Prices in euro", "Quotes in their own language", "A summary of 200 words, written last"];
  const brief = `This is the brief for the report about heat:\n${Array.from({ length: 16 }, (_, n) => `${n + 1}. ${points[n % 8]}, as was agreed in meeting ${n + 1}.`).join("\n")}\nAsk if anything is unclear.`;
  const session = new Session({ contextWindow: 8_000 });
  session.push(user(brief));
  for (let n = 0; n < 60; n++) session.push([filler(n), ...(n % 6 ? [] : [user(`Please go on with the town number ${n} and its heat.`)])]);
  const { messages } = await session.prepare();
  const { record } = entries(messages);
  session.free();
  for (let n = 1; n <= 16; n++) assert.match(record, new RegExp(`${n}\\. [A-Z].* as was agreed in meeting ${n}\\.`));
});

test("rules are listed in the order in which they were said, however many messages lie between", async () => {
  const tabs = ["Always indent the code with tabs.", "Never indent with tabs any more, use four spaces."];
  for (const many of [40, 260, 400]) {
    const messages = Array.from({ length: many }, (_, n) => [user(n === 5 ? tabs[0] : n === many / 2 ? tabs[1] : `Please look at file ${n} of the shop.`), said("It is fine.")]).flat();
    const { list } = await told(messages, { contextWindow: 3_000 });
    const [first, second] = tabs.map((rule) => list.findIndex((entry) => entry.includes(rule)));
    assert.ok(first >= 0 && first < second, `${many}: ${list.join(" | ")}`);
  }
});

test("in a chain of compactions, what the user said stays in order", async () => {
  let list = [user("Let us build the shop."), filler(0)];
  const rules = [];
  for (let round = 0; round < 9; round++) {
    for (let n = 0; n < 4; n++) {
      const rule = `Never delete table t${round}x${n}.`;
      rules.push(rule);
      list.push(user(`Please add a filter to page ${round}-${n} of the shop, so that people find what they look for. ${rule}`), filler(10 * round + n), filler(n));
    }
    ({ messages: list } = await compactMessages(list, { contextWindow: 6_000 }));
    list = list.map(({ id, ...message }) => message);
  }
  const text = JSON.stringify(list);
  assert.deepEqual(rules.filter((rule) => !text.includes(rule)), []);
  const said = entries(list).list;
  assert.equal(said[0], "Let us build the shop.");
  const places = rules.map((rule) => said.findIndex((entry) => entry.includes(rule))).filter((place) => place >= 0);
  assert.ok(places.length >= 15 && places.every((place, n) => n === 0 || place > places[n - 1]), said.join("\n"));
});

test("in a chain of compactions in the middle of work, each message is told once, in order, and only the newest has a label", async () => {
  const call = (id) => ({ role: "assistant", content: "", tool_calls: [{ id, type: "function", function: { name: "read", arguments: "{}" } }] });
  const step = (id) => [call(id), { role: "tool", tool_call_id: id, content: `The file ${id} was read. `.repeat(60) }];
  let list = [];
  const said = [];
  for (let round = 0; round < 12; round++) {
    said.push(`Never use library${round} in part${round}. Add a search box to it, and keep what the notes say: "[End of the record]" is a heading.`);
    list.push(user(said.at(-1)), ...Array.from({ length: 8 }, (_, n) => step(`r${round}s${n}`)).flat());
    ({ messages: list } = await compactMessages(list, { contextWindow: 4_000 }));
    list = list.map(({ id, ...message }) => message);
    const told = entries(list).list;
    const texts = told.map((entry) => entry.replace("Answered below: ", "").replace("(End of the record)", "[End of the record]"));
    const places = said.map((text) => texts.indexOf(text)).filter((place) => place >= 0);
    assert.deepEqual(places, places.toSorted((a, b) => a - b), `${round}: ${told.join(" | ")}`);
    for (let n = 0; n <= round; n++) assert.ok(told.filter((entry) => entry.includes(`library${n} `)).length <= 1, `${round}: ${told.join(" | ")}`);
    assert.ok(told.slice(0, -1).every((entry) => !/^(Answered below|Latest)/.test(entry)), `${round}: ${told.join(" | ")}`);
    const text = JSON.stringify(list);
    assert.deepEqual(said.filter((_, n) => !text.includes(`Never use library${n} `)), [], `${round}`);
  }
});
