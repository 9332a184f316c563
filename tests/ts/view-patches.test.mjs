// A view costs only what is new: parts shown before are the same objects, and do not cross the WebAssembly boundary again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session } from "contextfold";
import { assistant, calls, conversation, output, user, words } from "../support/session.mjs";

const FORMATS = ["messages", "openai-responses", "openai-chat", "anthropic", "ai-sdk", "gemini", "bedrock-converse"];
const SUMMARY = "<summary>the gist</summary>";
const listOf = (view) => (Array.isArray(view) ? view : (view.input ?? view.messages ?? view.contents));

/** The bytes of text that leave the module during `run`. */
function crossing(run) {
  const { decode } = TextDecoder.prototype;
  let bytes = 0;
  TextDecoder.prototype.decode = function (input, ...rest) {
    bytes += input?.byteLength ?? 0;
    return decode.call(this, input, ...rest);
  };
  try {
    run();
  } finally {
    TextDecoder.prototype.decode = decode;
  }
  return bytes;
}

const step = (n, size = 60) => [user(`go ${n}`), calls(`c${n}`), output(`c${n}`, words(size, n)), assistant(`done ${n}`)];

for (const format of FORMATS)
  test(`${format}: unchanged entries are the same objects, and a returned array is never changed`, () => {
    const session = new Session({ contextWindow: 100_000, toolOutputCache: { contextBudgetTokens: 2000 } });
    session.setHeader("Be brief.");
    let before = [];
    const handedOut = [];
    let trims = 0;
    for (let n = 0; n < 60; n++) {
      for (const message of step(n)) session.push(message);
      const list = listOf(session.view(format));
      handedOut.push([list, [...list]]);
      const known = new Set(before);
      const newOnes = list.filter((entry) => !known.has(entry)).length;
      // A step's entries, plus the one they may have joined; and occasionally the outputs that a trim replaced by placeholders.
      trims += newOnes > 5 ? 1 : 0;
      assert.ok(newOnes <= 16, `step ${n}: ${newOnes} of ${list.length} are new`);
      before = list;
    }
    assert.ok(trims > 0 && trims <= 20, `${trims} of 60 steps trim`);
    for (const [list, then] of handedOut) assert.ok(list.length === then.length && list.every((entry, i) => entry === then[i]));
    before.length = 0;
    before.push("the caller's own");
    assert.ok(listOf(session.view(format)).length > 100, "nor is what the caller does with one seen in the next");
  });

for (const format of FORMATS)
  test(`${format}: hundreds of entries sent together are the same as one by one`, () => {
    const rule = (n) => ({ role: n % 2 ? "developer" : "system", content: `Rule ${n}.` });
    const long = { role: "assistant", content: words(3000, 7) };
    const list = [rule(0), rule(1), ...Array.from({ length: 90 }, (_, n) => [...step(n), ...(n % 17 ? [] : [rule(n), long])]).flat()];
    const options = { contextWindow: 10_000_000, toolOutputCache: { contextBudgetTokens: 2000 } };
    const [together, oneByOne] = [new Session(options), new Session(options)];
    together.push(list);
    for (const message of list) {
      oneByOne.push(message);
      oneByOne.view(format);
    }
    assert.ok(listOf(together.view(format)).length > 256);
    assert.deepEqual(together.view(format), oneByOne.view(format));
    const restored = Session.restore(together.snapshot(), options);
    assert.deepEqual(restored.view(format), together.view(format), "nor does it matter whose objects they are");
  });

for (const format of FORMATS)
  test(`${format}: the bytes for the next view do not depend on the length of the conversation`, () => {
    const bytes = [50, 1000].map((steps) => {
      const session = new Session({ contextWindow: 10_000_000, toolOutputCache: { contextBudgetTokens: 1_000_000 } });
      for (let n = 0; n < steps; n++) session.push(step(n));
      session.view(format);
      session.push(step("next"));
      return crossing(() => session.view(format));
    });
    assert.ok(bytes[1] <= bytes[0] + 64, `${bytes}`);
  });

const EDITS = {
  "a push": (s, n) => s.push(step(`e${n}`)),
  "a call without its output": (s, n) => s.push([user("go"), calls(`late${n}`)]),
  "a late output": (s, n) => s.push([calls(`l${n}`), user("never mind"), output(`l${n}`, "late")]),
  "a header": (s, n) => s.setHeader(`Be brief ${n}.`),
  "a pin": (s, n) => s.pin(s.items()[n % s.items().length].id),
  "a pinned text": (s, n) => s.push(user(`my name is N${n}`)) && s.pin({ id: s.items().at(-1).id, text: `N${n}` }),
  "a fold": (s) => s.compact(),
  "a run of the ladder": (s) => s.prepare(),
  "items of another format": (s, n) => s.pushFrom("openai-responses", [{ type: "reasoning", id: `rs_${n}`, summary: [] }, { type: "message", id: `msg_${n}`, role: "assistant", status: "completed", content: [{ type: "output_text", text: "so", annotations: [] }] }]),
  "an instruction": (s, n) => s.push({ role: "system", content: `Note ${n}.` }),
};

for (const seed of [1, 2, 3, 4, 5, 6])
  test(`a view read after every change equals one read once at the end (${seed})`, async () => {
    const options = { contextWindow: 6000, toolOutputCache: { contextBudgetTokens: 900 }, compaction: { ledgerTokens: 0 }, summarize: () => SUMMARY };
    const often = new Session(options);
    let state = seed;
    const pick = (count) => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) % count;
    const done = [];
    const edits = Object.entries(EDITS);
    often.push(conversation(3));
    for (let n = 0; n < 40; n++) {
      const [name, edit] = edits[pick(edits.length)];
      const change = async (session) => {
        try {
          await edit(session, n);
        } catch (error) {
          assert.ok(error.code, error);
        }
      };
      await change(often);
      done.push([name, change]);
      const format = FORMATS[pick(FORMATS.length)];
      const once = new Session(options);
      once.push(conversation(3));
      for (const [, again] of done) await again(once);
      const what = `${format} after ${done.map(([name]) => name).join(", ")}`;
      assert.deepEqual(often.view(format), once.view(format), what);
      assert.deepEqual(often.lower(), once.lower(), what);
      once.free();
    }
  });
