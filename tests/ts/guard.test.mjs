// The guard between the glue code and the module, tested on a tiny module: eight bytes of code that trap.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { ContextError } from "../../pkg/error.js";
import { guarded, promiseMethods, promising, unloaded } from "../../pkg/guard.js";

// (module (func (export "trap") unreachable) (func (export "seven") (result i32) i32.const 7))
const { trap, seven } = new WebAssembly.Instance(
  new WebAssembly.Module(
    Buffer.from(
      "0061736d01000000" + "0108026000006000" + "017f" + "0303020001" + "071002" + "04747261700000" + "05736576656e0001" + "0a0a02" + "0300000b" + "040041070b",
      "hex",
    ),
  ),
).exports;

const code = (expected) => (error) => ContextError.isInstance(error) && error.code === expected;

test("before the module is loaded, every call fails with NOT_INITIALIZED and says what to do", () => {
  assert.throws(() => unloaded.session_new(), (error) => code("NOT_INITIALIZED")(error) && /await init\(\)/.test(error.message));
  assert.throws(() => unloaded.memory, code("NOT_INITIALIZED"));
});

test("a call that works is passed through unchanged", () => {
  const memory = {};
  const wasm = guarded({ seven, memory, add: (a, b) => a + b }, assert.fail);
  assert.equal(wasm.seven(), 7);
  assert.equal(wasm.add(2, 3), 5);
  assert.equal(wasm.memory, memory);
});

test("a trap is INTERNAL with its cause, and so is every call after it", () => {
  let standIn;
  const wasm = guarded({ trap, seven }, (next) => (standIn = next));
  assert.throws(() => wasm.trap(), (error) => code("INTERNAL")(error) && error.cause instanceof WebAssembly.RuntimeError);
  assert.throws(() => standIn.seven(), (error) => code("INTERNAL")(error) && /load the module again/.test(error.message));
  assert.throws(() => standIn.memory, code("INTERNAL"));
  // The garbage collector may still release objects; no caller could catch an error there.
  assert.equal(standIn.__wbg_session_free(8, 1), undefined);
  assert.equal(standIn.__wbindgen_destroy_closure(8, 1), undefined);
});

test("a trap of a module that has no memory left says so, and what to do", () => {
  let standIn;
  const memory = { buffer: { byteLength: 2 ** 32 } };
  const full = (error) => code("INTERNAL")(error) && /memory is full \(it has 4295 of at most 4295 MB\).*free\(\)/.test(error.message) && !/bug/.test(error.message);
  const wasm = guarded({ trap, memory }, (next) => (standIn = next));
  assert.throws(() => wasm.trap(), full);
  assert.throws(() => standIn.trap(), full);
});

test("running out of stack inside the module counts as a trap", () => {
  let standIn;
  const endless = () => endless() + 1;
  const memory = { buffer: { byteLength: 2 ** 32 } };
  const isNotFull = (error) => code("INTERNAL")(error) && !/memory is full/.test(error.message);
  assert.throws(() => guarded({ endless, memory }, (next) => (standIn = next)).endless(), isNotFull);
  assert.ok(standIn);
});

test("V8 may deoptimize a call while it runs", () => {
  const script = `import make from "./tests/support/deoptimized.mjs"; import { guarded } from "./pkg/guard.js"; console.log(make(guarded).a);`;
  const root = new URL("../..", import.meta.url);
  const run = spawnSync(process.execPath, ["--allow-natives-syntax", "--input-type=module", "-e", script], { cwd: root, encoding: "utf8" });
  assert.deepEqual([run.status, run.stdout], [0, "1\n"], run.stderr);
});

test("a freed object fails with FREED; freeing twice does nothing", () => {
  const released = [];
  const wasm = guarded(
    {
      session_tokens: () => {
        throw new Error("null pointer passed to rust"); // wasm-bindgen's own words
      },
      __wbg_session_free: (pointer) => released.push(pointer),
    },
    assert.fail,
  );
  assert.throws(() => wasm.session_tokens(0), code("FREED"));
  wasm.__wbg_session_free(64, 0);
  wasm.__wbg_session_free(0, 0);
  assert.deepEqual(released, [64]);
});

test("other errors pass unchanged, and a borrow error is reported as our bug", () => {
  const own = new TypeError("the caller's");
  const wasm = guarded(
    {
      theirs: () => {
        throw own;
      },
      text: () => {
        throw "a string";
      },
      borrowed: () => {
        throw new Error("recursive use of an object detected which would lead to unsafe aliasing in rust");
      },
    },
    assert.fail,
  );
  assert.throws(() => wasm.theirs(), (error) => error === own);
  assert.throws(() => wasm.text(), (error) => error === "a string");
  assert.throws(() => wasm.borrowed(), code("INTERNAL"));
});

test("a promise that settles normally passes through, and its error has the caller's line", async () => {
  assert.equal(await promising(async () => 1)(), 1);
  const own = new Error("the callback's");
  await assert.rejects(promising(() => Promise.reject(own))(), (error) => error === own);
  const ours = () => new Promise((_, reject) => setTimeout(() => reject(new ContextError("ABORTED", "later"))));
  await assert.rejects(promising(ours)(), ({ stack }) => stack.includes("guard.test.mjs"));
});

test("methods that return a promise never throw; others do", async () => {
  const thrown = () => {
    throw new ContextError("FREED", "it was freed");
  };
  class Session {
    free() {}
    static load() {
      thrown();
    }
    compact() {
      thrown();
    }
    push() {
      thrown();
    }
    get tokens() {
      return 5;
    }
  }
  const { push } = Session.prototype;
  promiseMethods({ Session, free: () => {} });
  const session = new Session();
  assert.equal(session.tokens, 5);
  assert.equal(Session.prototype.push, push);
  for (const promise of [session.compact(), Session.load()]) await assert.rejects(promise, code("FREED"));
});
