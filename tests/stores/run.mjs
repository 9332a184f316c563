// Runs a test file in another Node, as one test of this run.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs it, and fails with its output if one of its tests failed. */
export async function runTests(t, node, file) {
  const env = { ...process.env };
  delete env.NODE_TEST_CONTEXT; // which would silence a run within a run
  const child = spawn(node, ["--no-warnings", "--test-reporter=spec", file], { env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  const [code] = await once(child, "close");
  assert.equal(code, 0, text);
  const [, passed] = /^ℹ pass (\d+)/m.exec(text);
  assert.ok(passed > 0, text);
  t.diagnostic(`${passed} tests passed there`);
}
