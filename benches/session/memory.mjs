// The module's memory for a history, in its own process.

import { Session } from "contextfold";
import { agent, asItems, asModelMessages, SUMMARY } from "./histories.mjs";
import { ROOMY } from "./ours.mjs";

const held = [new Session()]; // keeps earlier histories alive, so that each size adds to the memory in use

console.log("### The module's memory for a history\n");
console.log("| messages | bytes of each | UTF-8 bytes of their texts | memory | bytes a message beside its text twice | times the text |\n| --: | --: | --: | --: | --: | --: |");
for (const [count, size] of [[10_000, 50], [10_000, 200], [1_000, 840], [10_000, 840], [50_000, 840], [10_000, 4_000]]) {
  const before = held[0].memory().wasm_bytes;
  const texts = fill(count, size);
  const taken = held[0].memory().wasm_bytes - before;
  console.log(`| ${count.toLocaleString("en")} | ${size} | ${texts.toLocaleString("en")} | ${taken.toLocaleString("en")} | ${Math.round((taken - 2 * texts) / count)} | ${(taken / texts).toFixed(2)} |`);
}
console.log();

console.log("### The same, as formats bring it, and when all of it was saved and folded: times what PERF-7 allows (the text twice and 512 bytes a message)\n");
console.log("| | bytes of each | pushed | saved | folded |\n| --- | --: | --: | --: | --: |");
for (const size of [200, 840])
  for (const [name, format, convert] of [["messages", "messages", (list) => list], ["input items, with ids", "openai-responses", withIds], ["AI SDK", "ai-sdk", asModelMessages]]) {
    const session = new Session({ ...ROOMY, summarize: () => SUMMARY });
    const before = session.memory().wasm_bytes;
    const history = agent(10_000).map((message) => ({ ...message, content: resized(message.content, size) }));
    for (let n = 0; n < history.length; n += 4) session.pushFrom(format, convert(history.slice(n, n + 4), n));
    const texts = history.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
    const share = () => ((session.memory().wasm_bytes - before) / (2 * texts + 512 * history.length)).toFixed(2);
    const shares = [share()];
    session.snapshot();
    shares.push(share());
    await session.compact();
    shares.push(share());
    console.log(`| ${name} | ${size} | ${shares.join(" | ")} |`);
    held.push(session);
  }
console.log();

/** Items with ids, as the Responses API returns them. */
function withIds(list, from) {
  return asItems(list).map((item, n) => {
    const id = (prefix) => `${prefix}_${String(from * 8 + n).padStart(48, "0")}`;
    if (item.type === "function_call") return { ...item, id: id("fc"), status: "completed" };
    if (item.role !== "assistant") return item;
    return { ...item, id: id("msg"), status: "completed", content: item.content.map((part) => ({ ...part, annotations: [], logprobs: [] })) };
  });
}

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

/** A text of an agent's history, scaled to the wanted message size. */
function resized(text, size) {
  const length = Math.round((text.length * size) / 840);
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}
