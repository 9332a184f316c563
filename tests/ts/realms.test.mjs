// Values of another realm (an iframe, a vm context, a test runner's sandbox), for which `instanceof` fails.

import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { OpenAIHistoryAdapter, Session } from "contextfold";
import { conversation, failsWith, user } from "../support/session.mjs";

const foreign = (code) => runInNewContext(`(${code})`, { AbortController, TextEncoder });

test("messages, and lists of them", () => {
  const session = new Session(foreign('{ contextWindow: 1000, compaction: { summaryDirectives: ["x"] } }'));
  const list = foreign('[{ role: "user", content: [{ type: "text", text: "x" }] }, { role: "assistant", content: "y" }]');
  assert.equal(session.push(list).length, 2);
  assert.equal(session.view("messages")[0], list[0]);
  const items = foreign('[{ role: "user", content: "x" }]');
  assert.equal(new OpenAIHistoryAdapter(items).inputItems[0], items[0]);
});

test("bytes", async () => {
  const { toolOutputs } = new Session();
  assert.equal(await toolOutputs.get(toolOutputs.put(foreign("new Uint8Array([97, 98])")).id), "ab");
});

test("functions, promises and errors", async () => {
  const answering = new Session({ contextWindow: 3000, compaction: { summarizerWindow: 100_000 }, summarize: foreign('async () => "<summary>theirs</summary>"'), tokenizer: foreign("(text) => text.length / 4") });
  answering.push(conversation(4));
  await answering.compact();
  assert.equal(answering.folds()[0].summary, "theirs");
  const failing = new Session({ contextWindow: 3000, compaction: { summarizerWindow: 100_000, onFailure: "error" }, summarize: foreign('() => { throw new TypeError("theirs"); }') });
  failing.push(conversation(4));
  await assert.rejects(failing.compact(), (e) => failsWith("SUMMARY_FAILED")(e) && e.cause.message === "theirs");
});

test("subclasses of Array", () => {
  class List extends Array {}
  const session = new Session();
  session.push(List.of(user("a"), user("b")));
  assert.equal(session.messages.length, 2);
  assert.ok(Array.isArray(session.view("messages")));
});
