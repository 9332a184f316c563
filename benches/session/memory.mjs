// The module's memory for a history, in a process of its own.

import { Session } from "contextfold";
import { memory } from "../../pkg/load.js";
import { agent } from "./histories.mjs";
import { ROOMY } from "./ours.mjs";

const held = []; // so that each size adds to what the ones before it hold

console.log("### The module's memory for a history\n");
console.log("| messages | bytes of each | UTF-8 bytes of their texts | memory | bytes a message beside its text twice | times the text |\n| --: | --: | --: | --: | --: | --: |");
for (const [count, size] of [[10_000, 50], [10_000, 200], [1_000, 840], [10_000, 840], [50_000, 840], [10_000, 4_000]]) {
  const before = memory().buffer.byteLength;
  const texts = fill(count, size);
  const taken = memory().buffer.byteLength - before;
  console.log(`| ${count.toLocaleString("en")} | ${size} | ${texts.toLocaleString("en")} | ${taken.toLocaleString("en")} | ${Math.round((taken - 2 * texts) / count)} | ${(taken / texts).toFixed(2)} |`);
}
console.log();

function fill(count, size) {
  const session = new Session(ROOMY);
  held.push(session);
  let texts = 0;
  const history = agent(count);
  for (let n = 0; n < count; n += 4) {
    const four = history.slice(n, n + 4).map((message) => ({ ...message, content: resized(message.content, size) }));
    session.push(four);
    for (const { content } of four) texts += Buffer.byteLength(content);
  }
  return texts;
}

/** A text of an agent's history, as much longer or shorter as its history's messages are to be. */
function resized(text, size) {
  const length = Math.round((text.length * size) / 840);
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}
