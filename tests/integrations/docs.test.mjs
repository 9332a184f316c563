// The guides in docs/, and README.md: every example runs as written, with our own agent as "./your-agent.js" and a
// provider (and a Redis) on 127.0.0.1, and compiles under strict TypeScript.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { missingRedis, startRedis } from "../support/redis.mjs";
import { provider } from "./support/provider.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const here = fileURLToPath(new URL("./", import.meta.url));
const folder = `${here}.docs-${process.pid}`;
const run = promisify(execFile);
after(() => rmSync(folder, { recursive: true, force: true }));

/** The path of each document, and the agent its examples use: the file of this name in tests/integrations/docs. */
const guides = readdirSync(`${root}docs`).filter((name) => name.endsWith(".md"));
const documents = [{ path: "README.md", agent: "package" }, ...guides.map((name) => ({ path: `docs/${name}`, agent: name.replace(/\.md$/, "") }))];

/** The examples of a document, each as a separate file. */
function written({ path, agent }) {
  const place = `${folder}/${agent}`;
  mkdirSync(place, { recursive: true });
  if (existsSync(`${here}docs/${agent}.mjs`)) for (const name of ["js", "d.ts"]) writeFileSync(`${place}/your-agent.${name}`, `export * from "../../docs/${agent}.mjs";`);
  const blocks = [...readFileSync(`${root}${path}`, "utf8").matchAll(/^```(?:js|ts)\n([\s\S]*?)^```$/gm)];
  return blocks.map(([, code], n) => {
    writeFileSync(`${place}/${n + 1}.mts`, code);
    return { place, file: `${n + 1}.mts`, wantsRedis: code.includes("REDIS_URL"), wantsIndexedDB: code.includes("stores/indexeddb") };
  });
}

/** The anchor that a git host gives a heading. */
const anchor = (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");

for (const document of documents)
  describe(document.path, () => {
    test("its links work, in the repository and in the package", () => {
      const text = readFileSync(`${root}${document.path}`, "utf8");
      for (const [, target] of [...text.matchAll(/\]\(([^)]+)\)/g), ...text.matchAll(/(?:src|srcset)="([^"]+)"/g)]) {
        if (/^https?:/.test(target)) continue;
        const [path, heading] = target.split("#");
        const { pathname } = new URL(path || document.path.replace(/.*\//, ""), `file:///${document.path}`);
        // The README's pictures are only in the repository: an installed copy is read in an editor.
        const bases = /^docs\/images\//.test(path) ? [root] : [root, `${here}node_modules/contextfold/`];
        for (const base of bases) assert.ok(existsSync(`${base}${pathname.slice(1)}`), `${target} in ${base}`);
        if (!heading) continue;
        const headings = [...readFileSync(`${root}${pathname.slice(1)}`, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, words]) => anchor(words));
        assert.ok(headings.includes(heading), target);
      }
    });

    for (const { place, file, wantsRedis, wantsIndexedDB } of written(document))
      test(`example ${file.replace(".mts", "")} runs`, { skip: (wantsRedis && missingRedis) || false }, async (t) => {
        const server = await provider();
        t.after(() => server.close());
        const keys = { OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${server.url}/v1`, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: server.url, GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: server.url, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url, AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "none", AWS_SECRET_ACCESS_KEY: "none" };
        if (wantsRedis) {
          const redis = await startRedis();
          t.after(() => redis.stop());
          keys.REDIS_URL = `redis://127.0.0.1:${redis.port}`;
        }
        const database = wantsIndexedDB ? ["--import", import.meta.resolve("fake-indexeddb/auto")] : []; // as in browsers
        const { stderr } = await run(process.execPath, [...database, file], { cwd: place, timeout: 60_000, env: { ...process.env, ...keys, OPENAI_AGENTS_DISABLE_TRACING: "1" } });
        assert.doesNotMatch(stderr, /contextfold \(/, "no hook fell back");
      });
  });

test("every example compiles under strict TypeScript", async () => {
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", target: "es2023", lib: ["es2023", "dom", "dom.iterable"], types: ["node"], skipLibCheck: true };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ["**/*.mts"] }));
  await run(process.execPath, [`${here}node_modules/typescript/bin/tsc`, "--project", folder], { cwd: here }).catch(({ stdout }) => assert.fail(stdout));
});

test("the API reference mentions every export", () => run(process.execPath, [`${root}scripts/docs.mjs`, "--check"]));
