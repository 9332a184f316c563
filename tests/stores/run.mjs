// A file of tests in another Node, as one test of this one.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs it, and fails with what it printed where a test of it failed. */
export async function runTests(t, node, file) {
  const env = { ...process.env };
  delete env.NODE_TEST_CONTEXT; // by which a run within a run would be silent
  const child = spawn(node, ["--no-warnings", "--test-reporter=spec", file], { env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  const [code] = await once(child, "close");
  assert.equal(code, 0, text);
  const [, passed] = /^ℹ pass (\d+)/m.exec(text);
  assert.ok(passed > 0, text);
  t.diagnostic(`${passed} tests passed there`);
}
