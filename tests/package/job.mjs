// What every program does with the packed package, in any runtime: it compacts the sample and gives the same figures.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { install } from "../../scripts/lib/installed.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { installPacked, run } from "./consumer.mjs";

export const RUNTIMES = "tests/package/runtimes";

/** Runs `job(contextfold)`; `sample` is defined. */
export const JOB = `
  function job({ Session, check, toolDefinitions }) {
    const session = new Session({ contextWindow: 32_000 });
    session.pushFrom("openai-responses", sample);
    return session.prepare().then(({ report }) => {
      const view = session.view("openai-responses");
      const valid = check("openai-responses", view).every(({ severity }) => severity !== "error");
      session[Symbol.dispose ?? Symbol.for("Symbol.dispose")]?.();
      session.free();
      let freed;
      try { session.tokens; } catch (error) { freed = error.code; }
      return JSON.stringify([report.tokens_before > 32_000, report.tokens_after, view.input.length, valid, freed, toolDefinitions("anthropic").length]);
    });
  }`;
/** How a program names its runtime. */
export const WHERE = `(typeof Bun === "object" ? "Bun " + Bun.version : typeof Deno === "object" ? "Deno " + Deno.version.deno : globalThis.navigator?.userAgent === "Cloudflare-Workers" ? "workerd" : "Node " + process.versions.node)`;

const ESM = `import init, * as contextfold from "contextfold"; import { middleware } from "contextfold/anthropic"; ${JOB}
  middleware({ contextWindow: 1000 }); await init(); console.log(await job(contextfold)); console.log(${WHERE});`;
const CJS = `const contextfold = require("contextfold"); const { middleware } = require("contextfold/anthropic"); ${JOB}
  middleware({ contextWindow: 1000 }); contextfold.init().then(() => job(contextfold)).then(console.log).then(() => console.log(${WHERE}));`;

/** Installs the package and its programs: `{ consumer, remove, sample, expected }`, with the output they give in this Node. */
export function programs() {
  install(RUNTIMES);
  const { consumer, remove } = installPacked();
  const sample = `const sample = ${readFileSync(join(root, "examples/transcript.responses.json"), "utf8")};`;
  writeFileSync(join(consumer, "main.mjs"), `${sample}\n${ESM}`);
  writeFileSync(join(consumer, "main.cjs"), `${sample}\n${CJS}`);
  const [expected] = run("node", ["main.mjs"], { cwd: consumer }).split("\n");
  const [wasLarge, tokens, entries, valid, freed, tools] = JSON.parse(expected);
  assert.deepEqual([wasLarge, valid, freed, tools], [true, true, "FREED", 3]);
  assert.ok(tokens > 500 && tokens < 32_000 && entries > 1, expected);
  return { consumer, remove, sample, expected };
}
