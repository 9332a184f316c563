// The module's memory for a history, in a process of its own.

import { Session } from "contextfold";
import { memory } from "../../pkg/load.js";
import { agent } from "./histories.mjs";
import { ROOMY } from "./ours.mjs";

console.log("### The module's memory for a history of 0.8 kB a message\n");
console.log("| messages | UTF-8 bytes of their texts | memory | bytes a message beside its text | times the text |\n| --: | --: | --: | --: | --: |");
for (const size of [1_000, 10_000, 50_000]) {
  const before = memory().buffer.byteLength;
  const session = new Session(ROOMY);
  const texts = fill(session, size);
  const held = memory().buffer.byteLength - before;
  console.log(`| ${size.toLocaleString("en")} | ${texts.toLocaleString("en")} | ${held.toLocaleString("en")} | ${Math.round((held - texts) / size)} | ${(held / texts).toFixed(2)} |`);
  // The next size begins with as much as this one had: it is three times as large or more, and the rest is what it adds.
}
console.log();

function fill(session, size) {
  let texts = 0;
  const history = agent(size);
  for (let n = 0; n < size; n += 4) {
    const four = history.slice(n, n + 4);
    session.push(four);
    for (const { content } of four) texts += Buffer.byteLength(content);
  }
  return texts;
}
