// The guard between the glue code and the module, tested on a tiny module: eight bytes of code that trap.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { ContextError } from "../../pkg/error.js";
import { guarded, settleMethods, settling, unloaded } from "../../pkg/guard.js";

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

test("running out of stack inside the module counts as a trap", () => {
  let standIn;
  const endless = () => endless() + 1;
  assert.throws(() => guarded({ endless }, (next) => (standIn = next)).endless(), code("INTERNAL"));
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

test("a trap on the microtask queue rejects the promises waiting for the module", async () => {
  const wasm = guarded({ closure_invoke: trap, start: () => new Promise(() => {}) }, () => {});
  const waiting = settling(() => wasm.start())();
  queueMicrotask(() => wasm.closure_invoke()); // an error thrown here would end the process
  await assert.rejects(waiting, code("INTERNAL"));
});

test("a promise that settles normally passes through", async () => {
  assert.equal(await settling(async () => 1)(), 1);
  const own = new Error("the callback's");
  await assert.rejects(settling(() => Promise.reject(own))(), (error) => error === own);
  assert.equal(settling(() => 2)(), 2);
});

test("methods and statics of generated classes are guarded, getters and internals are not", async () => {
  const wasm = guarded({ closure_invoke: trap }, () => {});
  class Session {
    free() {}
    static load() {
      return new Promise(() => {});
    }
    compact() {
      return new Promise(() => {});
    }
    get tokens() {
      return 5;
    }
    static __wrap() {
      return "internal";
    }
  }
  const internal = Session.__wrap;
  settleMethods({ Session, free: () => {} });
  const waiting = [new Session().compact(), Session.load()];
  assert.equal(new Session().tokens, 5);
  assert.equal(Session.__wrap, internal);
  queueMicrotask(() => wasm.closure_invoke());
  for (const promise of waiting) await assert.rejects(promise, code("INTERNAL"));
});
