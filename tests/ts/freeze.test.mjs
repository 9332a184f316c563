// `freezeInputs`: changing a pushed object fails where the change is made.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session } from "contextfold";
import { calls, output, user } from "../support/session.mjs";

test("a pushed message cannot be changed, at any depth", () => {
  const session = new Session({ freezeInputs: true });
  const message = { role: "user", content: [{ type: "text", text: "a" }], extras: { "openai-chat": { deep: { list: [1] } } } };
  session.push(message);
  assert.throws(() => (message.content[0].text = "b"), TypeError);
  assert.throws(() => message.extras["openai-chat"].deep.list.push(2), TypeError);
  assert.throws(() => (message.more = 1), TypeError);
  assert.equal(session.view("messages")[0], message);
});

test("of a list only the entries are frozen, not the list", () => {
  const session = new Session({ freezeInputs: true });
  const list = [user("a")];
  session.sync("openai-chat", list);
  list.push(user("b"));
  session.sync("openai-chat", list);
  assert.ok(list.every(Object.isFrozen));
  const body = { model: "m", messages: [user("c")] };
  session.pushFrom("openai-chat", body);
  body.model = "n";
  assert.ok(Object.isFrozen(body.messages[0]));
});

test("objects that cannot be frozen, or contain themselves, stay as they are", () => {
  const session = new Session({ freezeInputs: true });
  const bytes = new Uint8Array([1, 2]);
  const circle = { toJSON: () => "round" };
  circle.self = circle;
  let asked = 0;
  session.push({ role: "user", content: "a", extras: { mine: { bytes, circle, get lazy() { return void asked++; } } } });
  const before = asked;
  bytes[0] = 3;
  assert.ok(Object.isFrozen(circle));
  session.push([calls("c"), output("c")]);
  assert.equal(asked, before);
});

test("without it nothing is frozen", () => {
  const message = user("a");
  new Session().push(message);
  message.content = "b";
  assert.equal(message.content, "b");
});
