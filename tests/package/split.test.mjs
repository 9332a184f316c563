// The module as Node loads it from the installed package: the core, and the whole module once a function is called that only it has.

import assert from "node:assert/strict";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { installPacked, run } from "./consumer.mjs";

let consumer, installed, remove;
before(() => ({ consumer, installed, remove } = installPacked()));
after(() => remove());

/** A session of several turns, then a compaction; reports the result of each. */
const PROGRAM = `
  const session = new Session({ contextWindow: 100_000, summarize: async () => ({ text: "The user said hello and was greeted." }) });
  for (let n = 0; n < 30; n++) {
    session.push([{ role: "user", content: "Hello. ".repeat(50) }, { role: "assistant", content: "Good day to you. ".repeat(50) }]);
    await session.prepare();
  }
  console.log("turns", session.messages.length);
  try {
    await session.compact();
    console.log("compacted", session.folds().length);
  } catch (error) {
    console.log(error.code, error.message);
  }`;

const ESM = ["--input-type=module", "--eval", `import { Session } from "contextfold"; ${PROGRAM}`];
const COMMONJS = ["--input-type=commonjs", "--eval", `const { Session } = require("contextfold"); (async () => { ${PROGRAM} })();`];
/** As in Node before 20.19 and 22.12, where `require` gets a file of its own. */
const OLDER = ["--no-experimental-require-module", ...COMMONJS];

for (const [kind, args] of Object.entries({ ESM, COMMONJS, OLDER })) {
  const file = () => join(installed, "pkg/wasm/contextfold_bg.wasm");
  /** What the program says if this is done as soon as the package is imported. */
  const said = (atOnce = "") => {
    const first = `const { renameSync, truncateSync, writeFileSync } = process.getBuiltinModule("node:fs"); const file = ${JSON.stringify(file())}; ${atOnce};`;
    return run("node", [...args.slice(0, -1), args.at(-1).replace(PROGRAM, first + PROGRAM)], { cwd: consumer }).trim().split("\n");
  };

  test(`${kind}: the core and the whole module work as one`, () => {
    assert.deepEqual(said(), ["turns 60", "compacted 1"]);
  });

  test(`${kind}: turns with nothing to cut need only the core; if the rest is needed and was changed meanwhile, the error names the file`, () => {
    const bytes = readFileSync(file());
    try {
      for (const changed of ["truncateSync(file, 600_000)", "truncateSync(file, 0)", 'writeFileSync(file, "of another build".repeat(500_000))']) {
        const [turns, compacted] = said(changed);
        assert.equal(turns, "turns 60");
        assert.match(compacted, /^INTERNAL .*contextfold_bg\.wasm/);
        writeFileSync(file(), bytes);
      }
    } finally {
      writeFileSync(file(), bytes);
    }
  });

  test(`${kind}: the package may be moved or replaced under a running program`, () => {
    try {
      assert.deepEqual(said('renameSync(file, file + ".away"); writeFileSync(file, "another")'), ["turns 60", "compacted 1"]);
    } finally {
      renameSync(`${file()}.away`, file());
    }
  });

  test(`${kind}: a file that is missing or damaged is refused`, () => {
    const bytes = readFileSync(file());
    try {
      for (const damaged of [undefined, Buffer.from("\0asm\x01\0\0\0", "latin1"), bytes.subarray(0, 600_000), Buffer.alloc(bytes.length)]) {
        rmSync(file(), { force: true });
        if (damaged) writeFileSync(file(), damaged);
        assert.throws(() => said(), ({ message }) => /NOT_INITIALIZED/.test(message) && /contextfold_bg\.wasm/.test(message));
      }
    } finally {
      writeFileSync(file(), bytes);
    }
  });
}

test("the entries share one instance, imported or required", () => {
  const program = `
    const Instance = WebAssembly.Instance;
    let made = 0;
    WebAssembly.Instance = class extends Instance { constructor(module, imports) { super(module, imports); made++; } };
    import { createRequire } from "node:module";
    const require = createRequire(process.cwd() + "/program.js");
    const imported = await import("contextfold");
    const { readTranscript } = await import("contextfold/transcript");
    const required = require("contextfold");
    const { readTranscript: fromRequired } = require("contextfold/transcript");
    const session = new required.Session({ contextWindow: 1000 });
    console.log(made, session instanceof imported.Session, required.ContextError === imported.ContextError);
    const text = JSON.stringify([{ role: "user", content: "Hello." }, { role: "assistant", content: "Good day." }]);
    console.log(readTranscript(text).format === fromRequired(text).format);`;
  assert.equal(run("node", ["--input-type=module", "--eval", program], { cwd: consumer }).trim(), "1 true true\ntrue");
});

test("a first push, of one message or in any format, needs only the core", () => {
  const program = `
    const Instance = WebAssembly.Instance;
    let made = 0;
    WebAssembly.Instance = class extends Instance { constructor(module, imports) { super(module, imports); made++; } };
    const { Session } = await import("contextfold");
    const before = made;
    const said = {};
    const tried = (name, push) => {
      const session = new Session({ contextWindow: 128_000 });
      push(session);
      said[name] = made - before;
    };
    tried("one message", (session) => session.push({ role: "user", content: "hi" }));
    tried("openai-chat", (session) => session.pushFrom("openai-chat", { role: "user", content: "hi" }));
    tried("openai-responses", (session) => session.pushFrom("openai-responses", [{ role: "user", content: [{ type: "input_text", text: "hi" }] }]));
    tried("anthropic", (session) => session.pushFrom("anthropic", [{ role: "user", content: [{ type: "text", text: "hi" }] }, { role: "assistant", content: "Hello." }]));
    tried("ai-sdk", (session) => session.pushFrom("ai-sdk", [{ role: "user", content: [{ type: "text", text: "hi" }] }]));
    console.log(JSON.stringify(said));`;
  const said = JSON.parse(run("node", ["--input-type=module", "--eval", program], { cwd: consumer }));
  assert.deepEqual(said, { "one message": 0, "openai-chat": 0, "openai-responses": 0, anthropic: 0, "ai-sdk": 0 });
});
