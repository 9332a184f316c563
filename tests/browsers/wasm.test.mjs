// The WebAssembly layer's own tests in Firefox and WebKit: the test runner serves its page, and the browser opens it.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { test } from "node:test";
import { env, root } from "../../scripts/lib/paths.mjs";
import { WASM_TESTS } from "../../scripts/lib/wasm-tests.mjs";
import { freePort } from "../support/free-port.mjs";
import { firefox, until, webkit } from "../support/other-browsers.mjs";
import { withTries } from "../support/tries.mjs";

/** The test binary built by cargo. */
function binary() {
  const { stdout, status, stderr } = spawnSync("cargo", [...WASM_TESTS, "--test", "web", "--no-run", "--message-format=json"], { cwd: root, env, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(status, 0, stderr);
  const built = stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  return built.findLast((message) => message.executable && message.target?.name === "web").executable;
}

/** Starts the test runner's server; returns its address. */
async function served(t, tests) {
  const address = `127.0.0.1:${await freePort()}`;
  const runner = spawn("wasm-bindgen-test-runner", [tests], { cwd: root, env: { ...env, NO_HEADLESS: "1", WASM_BINDGEN_TEST_ADDRESS: address }, stdio: "ignore" });
  t.after(() => runner.kill());
  await until(() => fetch(`http://${address}/`).then(() => true, () => false), "it does not serve");
  return address;
}

for (const launch of [firefox, webkit])
  test(`the wasm tests in ${launch.name}`, async (t) => {
    const tests = binary();
    const address = await withTries("the test runner", () => served(t, tests));
    const browser = await launch();
    t.after(() => browser.close());
    t.diagnostic(browser.name);
    await browser.open(`http://${address}/`);
    const said = await until(
      () => browser.evaluate("const text = document.querySelector('#output')?.textContent ?? ''; return /test result: /.test(text) ? text : '';"),
      "the tests do not end",
    );
    assert.match(said, /test result: ok\. [1-9]\d* passed; 0 failed/);
  });
