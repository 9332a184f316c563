// Every JavaScript block of README.md, and of the guides that need no SDK, runs unchanged and prints what it says it prints.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (name) => readFileSync(`${root}${name}`, "utf8");
const blocks = (name) => [...read(name).matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code);
const documents = ["README.md", ...["start", "undo", "stores", "cost", "what-the-model-reads"].map((name) => `docs/${name}.md`)];

for (const name of documents) test(`${name} has an example`, () => assert.ok(blocks(name).length > 0));

for (const [name, n, code] of documents.flatMap((name) => blocks(name).map((code, n) => [name, n, code])))
  test(`${name}: block ${n + 1} runs`, { skip: code.includes("REDIS_URL") }, () => {
    const database = code.includes("stores/indexeddb") ? ["--import", "fake-indexeddb/auto"] : []; // as in browsers
    const { status, stdout, stderr } = spawnSync(process.execPath, [...database, "--input-type=module", "--eval", code], { cwd: root, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const said = [...code.matchAll(/console\.log\(.*\);? *\/\/ (.*)$/gm)].map(([, comment]) => comment);
    assert.deepEqual(stdout.trim().split("\n").filter(Boolean), said);
  });

test("every command of the command line that it names exists", () => {
  for (const [, command] of read("docs/command-line.md").matchAll(/npx contextfold (\w+) FILE/g)) {
    const { status, stderr } = spawnSync(process.execPath, ["pkg/cli/main.js", command, "--help"], { cwd: root, encoding: "utf8" });
    assert.equal(status, 0, `${command}: ${stderr}`);
  }
});
