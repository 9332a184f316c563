// The generated glue over a module that traps: no raw trap comes through, at the first call or later.

import assert from "node:assert/strict";
import { test } from "node:test";
import { guarded } from "../../pkg/guard.js";
import * as glue from "../../pkg/wasm/contextfold_bg.js";

test("after a trap every public function says INTERNAL", () => {
  const trapping = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  glue.__wbg_set_wasm(guarded({ version: trapping, __wbindgen_free: trapping }, glue.__wbg_set_wasm));
  for (let call = 1; call <= 3; call++)
    assert.throws(() => glue.version(), { name: "ContextError", code: "INTERNAL" }, `call ${call}`);
});
