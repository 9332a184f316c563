// Failed or undone operations leave the same bytes and the same view.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session } from "contextfold";
import { assistant, calls, failsWith, output, user } from "../support/session.mjs";

const words = (n) => "word ".repeat(n);

test("a failed `prepare` leaves the bytes unchanged, and the next view names the same refs", async () => {
  const views = [true, false].map(async (fails) => {
    const session = new Session({ contextWindow: 600, tokenizer: "bytes/4", safetyMargin: 0, ladder: [{ pass: "truncate_head_tail" }] });
    const call = calls("c1");
    call.tool_calls[0].function.arguments = JSON.stringify({ a: words(700) });
    session.push([user(words(200)), assistant(words(400)), user(words(100)), call, output("c1", words(300))]);
    session.pin("m2");
    session.view("messages");
    const before = session.snapshot();
    if (fails) await assert.rejects(session.prepare(), failsWith("CONTEXT_WINDOW_EXCEEDED"));
    assert.deepEqual(session.snapshot(), before);
    session.setOptions({ contextWindow: 1300 });
    await session.prepare();
    return JSON.stringify(session.view("messages"));
  });
  const [failed, other] = await Promise.all(views);
  assert.equal(failed, other);
});

test("a pinned text keeps its position after a summary that is folded and comes back", async () => {
  const session = new Session({ contextWindow: 4000, summarize: () => "<summary>Some work was done.</summary>" });
  const turns = (from) => Array.from({ length: 4 }, (_, i) => [user(`q${from + i} albatross ${words(80)}`), assistant(`a${from + i} ${words(80)}`)]).flat();
  session.push(turns(0));
  await session.compact();
  session.pin({ id: "m1", text: "albatross" });
  session.pin({ id: "m3", text: "albatross" });
  session.push(turns(4));
  const ids = () => session.items().map((item) => item.id);
  const before = ids();
  await session.compact();
  session.unfold(session.folds().at(-1).id);
  assert.deepEqual(ids(), before);
  session.unpin({ id: "m1", text: "albatross" });
  assert.deepEqual(ids(), before.toSpliced(1, 1));
});

test("messages restored so that the view starts with the user leave it again when the manual fold is undone", async () => {
  const session = new Session({ contextWindow: 900, tokenizer: "bytes/4", safetyMargin: 0, ladder: "rolling" });
  for (let n = 0; n < 12; n++) session.push([user(`question ${n} ${words(30)}`), assistant(`answer ${n} ${words(30)}`)]);
  await session.prepare();
  const before = session.view("messages");
  const ids = session.items().map((item) => item.id);
  const first = Number(ids[0].slice(1));
  assert.ok(first > 1, "the ladder dropped messages");
  const fold = session.graph.compress(ids.slice(0, 1), "By hand.");
  assert.ok(session.items().some((item) => Number(item.id.slice(1)) < first), "a user message came back");
  session.graph.expand(fold);
  assert.deepEqual(session.view("messages"), before);
});

const reads = (session, steps, lines) => {
  session.push(user("Find the cause."));
  for (let n = 0; n < steps; n++) session.push([calls(`c${n}`), output(`c${n}`, `entry ${n}\n`.repeat(lines))]);
};

test("messages restored by a manual unfold are not cut at once: a held unfold stays, even over the threshold", async () => {
  const session = new Session({ contextWindow: 16_000, tokenizer: "bytes/4", safetyMargin: 0 });
  reads(session, 50, 110);
  await session.compact();
  const { tokens, threshold, limit } = session.unfold(session.folds()[0].id, { hold: true });
  assert.ok(tokens > threshold && tokens <= limit, `${tokens}`);
  const { report } = await session.prepare();
  assert.deepEqual(report.decisions, []);
  assert.equal(report.tokens_after, tokens);
});

test("in a larger window, an unfold restores its messages and cuts nothing that is not due", async () => {
  const session = new Session({ contextWindow: 5_000, tokenizer: "bytes/4", safetyMargin: 0 });
  reads(session, 60, 40);
  await session.prepare();
  session.setOptions({ contextWindow: 16_000 });
  const fold = session.folds()[0];
  if (fold) session.unfold(fold.id, { hold: true });
  const before = session.tokens;
  const { report } = await session.prepare();
  assert.ok(report.tokens_after >= before, `${before} → ${report.tokens_after}`);
});

test("a summary whose messages were all removed inside another fold does not come back", () => {
  const session = new Session({ contextWindow: 100_000 });
  for (let n = 0; n < 4; n++) session.push([user(`question ${n}`), assistant(`answer ${n}`)]);
  const inner = session.graph.compress(["m1", "m2"], "summary A");
  const outer = session.graph.compress([inner, "m3", "m4"], "summary B");
  session.pin("m1");
  session.pin("m2");
  session.unfold(outer);
  assert.deepEqual(session.items().map((item) => item.id), ["m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"]);
  assert.deepEqual(session.folds(), []);
});

test("a snapshot with altered bytes is refused, and no other session is affected", () => {
  const other = new Session();
  const session = new Session();
  session.push([user("go"), calls("c1"), user("on")]);
  const bytes = Buffer.from(session.snapshot());
  const sum = (body) => body.reduce((sum, byte) => BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n), 0xcbf29ce484222325n).toString(16).padStart(16, "0");
  const end = bytes.indexOf("\n");
  for (let at = end + 1; at < bytes.length; at++)
    for (const by of [1, 255, 2]) {
      const crafted = Buffer.from(bytes);
      crafted[at] += by;
      crafted.write(sum(crafted.subarray(end + 1)), end - 16, "latin1");
      try {
        const taken = Session.restore(crafted);
        taken.graph.nodes();
        taken.items();
      } catch (error) {
        assert.notEqual(error.code, "INTERNAL", `${at} by ${by}: ${error.message}`);
      }
    }
  other.push(user("still here"));
});

test("a rule that the user took back is in no record, also if the record quoted it from a message that was only cut", async () => {
  const long = "more words here about the order. ".repeat(20);
  const asked = (n, rule = "") => user(`Question ${n}? ${long}${rule}${long}`);
  for (const back of ["rewind", "sync"]) {
    const session = new Session({ contextWindow: 4_000, safetyMargin: 0 });
    const list = [];
    const folded = () => session.folds().find((fold) => fold.in_view);
    const quotes = () => folded()?.ledger?.includes("Smith") && !folded().items.includes("m9");
    for (let n = 0; n < 30 && !quotes(); n++) {
      for (const message of [asked(n, n === 4 ? "Always address me as Smith. " : ""), assistant(`Answer ${n}. ${"it is so and so. ".repeat(20)}`)]) {
        list.push(message);
        session.sync("openai-chat", list);
        await session.prepare();
      }
    }
    assert.ok(quotes(), "the record quotes a message that the view shows in part");
    if (back === "rewind") {
      session.rewind("m8");
      session.push(user("Thanks. What now?"));
    } else session.sync("openai-chat", [...list.slice(0, 8), user("Thanks. What now?")]);
    await session.prepare();
    assert.ok(!JSON.stringify(session.view("openai-chat")).includes("Smith"), back);
  }
});

test("an id that only removed messages said is in no record, also if the record named it because its message was to be cut", async () => {
  const id = (n) => `ORD-${70_000 + 137 * n}`;
  const shipped = (n) => output(`c${n}`, `The order ${id(n)} is on its way. ${`Line of the order with more words, part ${n}. `.repeat(60)}`);
  for (const back of ["rewind", "sync", "sync with the same again"]) {
    const session = new Session({ contextWindow: 2_000, safetyMargin: 0 });
    const list = [];
    const names = (n) => session.folds().find((fold) => fold.in_view)?.ledger?.includes(id(n));
    let n = 0;
    const isBehind = () => n > 0 && names(n - 1) && !session.folds().some((fold) => fold.items.includes(`m${list.length - 1}`));
    for (; n < 40 && !isBehind(); n++) {
      list.push(user(`Where is my order ${n}?`), calls(`c${n}`), shipped(n), assistant(`On its way. ${"it is so and so. ".repeat(5)}`));
      session.sync("openai-chat", list);
      await session.prepare();
    }
    assert.ok(isBehind(), "the record names an id of a message that stays");
    const folds = session.folds().length;
    const asked = list.length - 4;
    if (back === "rewind") {
      session.rewind(`m${asked}`);
      session.push(user("Thanks. What now?"));
    } else if (back === "sync") session.sync("openai-chat", [...list.slice(0, asked), user("Thanks. What now?")]);
    else {
      session.sync("openai-chat", [...list.slice(0, asked), user("And my order?"), ...list.slice(asked + 1)]);
      assert.equal(session.folds().length, folds, "the record is still right");
      continue;
    }
    assert.ok(!JSON.stringify(session.view("openai-chat")).includes(id(n - 1)), back);
    await session.prepare();
    assert.ok(!JSON.stringify(session.view("openai-chat")).includes(id(n - 1)), back);
  }
});
