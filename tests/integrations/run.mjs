// The integrations with the real SDKs, offline, in each supported Node; and their types.
//
// node tests/integrations/run.mjs              everything: all of it in Node 22, the SDKs' own loops in 20 and 24 too
// node tests/integrations/run.mjs openai       the files with this word in their names, in Node 22

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { install, nodeOf } from "../../scripts/lib/installed.mjs";
import { env, root } from "../../scripts/lib/paths.mjs";
import { must } from "../../scripts/lib/run.mjs";
import { placePackage } from "./place.mjs";

const folder = "tests/integrations";
const words = process.argv.slice(2);
install(folder);
placePackage();

const files = readdirSync(join(root, folder))
  .filter((name) => name.endsWith(".test.mjs") && (words.length === 0 || words.some((word) => name.includes(word))))
  .sort();
// Tests that behave alike in every Node run in one; so do those that do not work in all of them.
const ANYWHERE = [
  "ai-sdk-requests.test.mjs",
  "ai-sdk-ui.test.mjs",
  "claude-agent.test.mjs",
  "declarations.test.mjs",
  "docs.test.mjs",
  "mcp.test.mjs",
  "openclaw.test.mjs",
  "opencode.test.mjs",
  "opentelemetry.test.mjs",
  "pi.test.mjs",
  "proxy.test.mjs",
  "recognised.test.mjs",
  "testing.test.mjs",
  "tools.test.mjs",
];
let failed = false;
for (const major of words.length > 0 ? [22] : [20, 22, 24]) {
  console.log(`▸ Node ${major}`);
  const { status } = spawnSync(nodeOf(major), ["--test", "--test-concurrency=2", "--test-reporter=spec", ...files.filter((name) => major === 22 || !ANYWHERE.includes(name))], { cwd: join(root, folder), env, stdio: "inherit" });
  failed ||= status !== 0;
}
if (words.length === 0) must("tsc", ["--project", "types"], { cwd: join(root, folder) });
process.exitCode = failed ? 1 : 0;
