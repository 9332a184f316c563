// `contextfold/react` with the real React: a component renders again when the session reports a change, and only then.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Session } from "contextfold";
import { useSession } from "contextfold/react";
import { createElement, act } from "react";
import { renderToString } from "react-dom/server";
import { create } from "react-test-renderer";

globalThis.IS_REACT_ACT_ENVIRONMENT = true;

/** A component that records what the hook returned. */
async function rendered(session, options, hook = useSession) {
  const seen = [];
  const Shown = ({ session }) => {
    seen.push(hook(session, options));
    return null;
  };
  let root;
  await act(async () => (root = create(createElement(Shown, { session }))));
  return { seen, again: (session) => act(async () => root.update(createElement(Shown, { session }))), end: () => act(async () => root.unmount()) };
}

const talk = (session, n = 20) => {
  for (let i = 0; i < n; i++) session.push([{ role: "user", content: `question ${i} ${"about the build ".repeat(20)}` }, { role: "assistant", content: `answer ${i}` }]);
};

test("it renders once for each push, fold and undo", async () => {
  const session = new Session({ contextWindow: 1_500 });
  const { seen } = await rendered(session);
  assert.deepEqual({ ...seen[0], unfold: 0 }, { view: [], folds: [], report: null, tokens: 0, limit: 1_500, unfold: 0 });
  await act(async () => talk(session));
  assert.equal(seen.length, 2, "forty messages are one change");
  assert.equal(seen[1].view.length, 40);
  assert.equal(seen[1].tokens, session.tokens);

  await act(() => session.prepare());
  const folded = seen.at(-1);
  assert.equal(folded.folds.length, 1);
  assert.equal(folded.report.tokens_after, folded.tokens);
  assert.ok(folded.view.length < 40);

  const before = seen.length;
  await act(async () => assert.ok(folded.unfold(folded.folds[0].id).tokens > folded.tokens));
  assert.equal(seen.length, before + 1);
  assert.deepEqual([seen.at(-1).folds.length, seen.at(-1).view.length], [0, 40]);
});

test("another session, another format, or none; and no listener is left", async () => {
  const [one, two] = [new Session({ contextWindow: 8_000 }), new Session()];
  talk(one, 2);
  two.push({ role: "user", content: "Hello" });
  const { seen, again, end } = await rendered(one, { format: "openai-responses" });
  assert.equal(seen.at(-1).view.input.length, 4);
  await again(two);
  assert.deepEqual([seen.at(-1).view.input.length, seen.at(-1).limit], [1, null]);
  const renders = seen.length;
  await act(async () => talk(one, 1));
  assert.equal(seen.length, renders, "the session of before is not listened to");
  await again(null);
  assert.deepEqual([seen.at(-1).view, seen.at(-1).tokens, seen.at(-1).report], [[], 0, null]);
  await end();
  const after = seen.length;
  talk(two, 1);
  await new Promise((go) => setTimeout(go));
  assert.equal(seen.length, after);
});

test("what changes without an event is shown by the next render: options, a header, an erased message", async () => {
  const session = new Session({ contextWindow: 8_000 });
  session.push([{ role: "user", content: "The password is hunter2." }, { role: "assistant", content: "I see." }]);
  const { seen, again, end } = await rendered(session);
  session.erase("m1");
  session.setOptions({ contextWindow: 4_000 });
  session.setHeader("Be brief.");
  await again(session);
  assert.deepEqual([seen.at(-1).limit, seen.at(-1).tokens, seen.at(-1).view], [4_000, session.tokens, session.view("messages")]);
  await again(session);
  assert.equal(seen.at(-1), seen.at(-2), "the same object, if nothing has changed");
  await end();
  session.rewind("m1");
  session.push({ role: "assistant", content: "I see!" }); // as many messages, turns and tokens as before
  assert.equal((await rendered(session)).seen.at(-1).view.at(-1).content, "I see!");
});

test("changes between two renders are shown, and a freed session is shown as empty", async () => {
  const session = new Session();
  const first = await rendered(session);
  await first.end();
  talk(session, 1);
  const { seen, again } = await rendered(session);
  assert.equal(seen.at(-1).view.length, 2);
  session.free();
  await again(session);
  assert.equal(seen.at(-1).view.length, 2, "as it was, until it is read again");
  const fresh = await rendered(session, { format: "anthropic" });
  assert.deepEqual(fresh.seen.at(-1).view, []);
});

test("on a server, and from CommonJS", async () => {
  const session = new Session();
  talk(session, 1);
  const Tokens = () => String(useSession(session).tokens);
  assert.equal(renderToString(createElement(Tokens)), String(session.tokens));
  const { seen } = await rendered(session, {}, createRequire(import.meta.url)("contextfold/react").useSession);
  assert.equal(seen.at(-1).view.length, 2);
});
