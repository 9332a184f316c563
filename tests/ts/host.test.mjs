// What a session waits for, and how a wait ends (pkg/host).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import v8 from "node:v8";
import vm from "node:vm";
import { Session } from "contextfold";
import { conversation, failsWith, user } from "../support/session.mjs";

const GOOD = "<summary>the gist</summary>";
const never = () => new Promise(() => {});

function session(options) {
  const made = new Session({ contextWindow: 100_000, ...options });
  made.push(conversation(10, 100));
  return made;
}

/** A signal of another realm or a polyfill: it has what a wait needs, and is no instance of this realm's class. */
function foreignSignal() {
  const listeners = new Set();
  const signal = { aborted: false, reason: undefined, addEventListener: (_, listener) => listeners.add(listener) };
  const abort = (reason) => {
    Object.assign(signal, { aborted: true, reason });
    for (const listener of listeners) listener();
  };
  return { signal, abort };
}

describe("signals", () => {
  for (const onFailure of ["extractive", "error"])
    test(`one that is no instance of AbortSignal reaches the callback, and ends the run (onFailure ${onFailure})`, async () => {
      const { signal, abort } = foreignSignal();
      let passed;
      const made = session({
        compaction: { onFailure },
        summarize: (_, options) => {
          passed = options.signal;
          return never();
        },
      });
      const waiting = made.compact({ signal });
      setTimeout(() => abort("enough"));
      await assert.rejects(waiting, (error) => failsWith("ABORTED")(error) && error.cause === "enough");
      assert.equal(passed, signal);
      assert.equal(made.folds().length, 0);
    });

  test("an answer that comes in the same tick as the abort is used, because it is paid for", async () => {
    const controller = new AbortController();
    let answer;
    const made = session({ summarize: () => new Promise((resolve) => (answer = resolve)) });
    const waiting = made.compact({ signal: controller.signal });
    await new Promise((done) => setTimeout(done));
    answer(GOOD);
    controller.abort();
    await waiting;
    assert.equal(made.folds().length, 1);
  });
});

describe("a session that is freed", () => {
  test("each caller that waits gets an error with its own line", async () => {
    const made = session({ summarize: never });
    const compacting = (function compacts() {
      return made.compact();
    })();
    const flushing = (function flushes() {
      return made.flush();
    })();
    await new Promise((done) => setTimeout(done));
    made.free();
    const [compacted, flushed] = (await Promise.allSettled([compacting, flushing])).map(({ reason }) => reason);
    assert.deepEqual([compacted.code, flushed.code], ["FREED", "FREED"]);
    assert.match(compacted.stack, /compacts/);
    assert.match(flushed.stack, /flushes/);
  });

  test("the answer of a hook's function is returned all the same", async () => {
    const made = session();
    const result = await made.loop().modelCall(async () => {
      made.free();
      return { text: "paid", usage: { input_tokens: 5, output_tokens: 1 } };
    });
    assert.equal(result.text, "paid");
  });

  test("a run that waited leaves nothing of the messages behind", async () => {
    const live = async () => {
      const made = new Session({ contextWindow: 1_000_000, summarize: never });
      made.push(conversation(10, 20_000));
      const waiting = made.compact();
      await null;
      await null;
      made.free();
      await assert.rejects(waiting, failsWith("FREED"));
    };
    const gauge = new Session();
    for (let n = 0; n < 5; n++) await live();
    const held = gauge.memory().wasm_bytes;
    for (let n = 0; n < 30; n++) await live();
    assert.ok(gauge.memory().wasm_bytes < held + 4_000_000, `${held} bytes became ${gauge.memory().wasm_bytes}`);
  });

  test("the garbage collector finds one whose callback never answers", async () => {
    v8.setFlagsFromString("--expose-gc");
    const collectGarbage = vm.runInNewContext("gc");
    const waiting = (() => session({ summarize: never }).compact())();
    const failed = assert.rejects(waiting, failsWith("FREED"));
    const looking = setInterval(collectGarbage, 20);
    await failed;
    clearInterval(looking);
  });
});

test("nothing of the caller's runs within the call", async () => {
  const made = session();
  made.push(user("more"));
  let ran = false;
  const hook = made.loop().toolExecution(() => (ran = true));
  assert.equal(ran, false);
  await hook;
  assert.equal(ran, true);
});
