// The guides in docs/: every JavaScript block runs as it stands, with an agent of ours as "./your-agent.js".

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));
const here = fileURLToPath(new URL("./", import.meta.url));
const folder = `${here}.docs-${process.pid}`;
const guides = readdirSync(`${root}docs`).filter((name) => name.endsWith(".md"));
after(() => rmSync(folder, { recursive: true, force: true }));

const blocks = (text) => [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
const old = Number(process.versions.node.split(".")[0]) < 22;

for (const guide of guides) {
  const text = readFileSync(`${root}docs/${guide}`, "utf8");
  describe(guide, () => {
    test("its links lead somewhere", () => {
      for (const [, target] of text.matchAll(/\]\(([^)#]+)\)/g)) if (!/^https?:/.test(target)) assert.ok(existsSync(`${root}docs/${target}`), target);
    });

    for (const [n, code] of blocks(text).entries()) {
      const agent = `${here}docs/${guide.replace(/\.md$/, ".mjs")}`;
      // The AI SDK of the examples is version 7.
      const skip = old && /from "ai"/.test(code) ? "ai 7 asks for Node 22" : false;
      test(`example ${n + 1} runs`, { skip }, async () => {
        mkdirSync(`${folder}/${guide}`, { recursive: true });
        if (existsSync(agent)) writeFileSync(`${folder}/${guide}/your-agent.js`, `export * from "../../docs/${guide.replace(/\.md$/, ".mjs")}";`);
        writeFileSync(`${folder}/${guide}/${n}.mjs`, code);
        const { stderr } = await promisify(execFile)(process.execPath, [`${n}.mjs`], { cwd: `${folder}/${guide}`, timeout: 60_000, env: { ...process.env, OPENAI_AGENTS_DISABLE_TRACING: "1" } });
        assert.doesNotMatch(stderr, /contextfold \(/, "no hook fell back");
      });
    }
  });
}
