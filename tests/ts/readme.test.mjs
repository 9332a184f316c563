// Every JavaScript block of README.md runs as it stands, and prints what it says that it prints.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readme = readFileSync(`${root}README.md`, "utf8");
const blocks = [...readme.matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code);

test("there are some", () => assert.ok(blocks.length >= 2));

for (const [n, code] of blocks.entries())
  test(`block ${n + 1} runs`, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], { cwd: root, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const said = [...code.matchAll(/console\.log\(.*\);? *\/\/ (.*)$/gm)].map(([, comment]) => comment);
    assert.deepEqual(stdout.trim().split("\n").filter(Boolean), said);
  });

test("every command of the command line that it names is one", () => {
  for (const [, command] of readme.matchAll(/npx contextfold (\w+) FILE/g)) {
    const { status, stderr } = spawnSync(process.execPath, ["pkg/cli/main.js", command, "--help"], { cwd: root, encoding: "utf8" });
    assert.equal(status, 0, `${command}: ${stderr}`);
  }
});
