// Every function of every entry that needs no SDK: wrong arguments are refused with a typed error, or accepted.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { ContextError } from "contextfold";
import { TranscriptError } from "contextfold/transcript";

const WRONG = [undefined, null, 5, "x", true, {}, [], () => {}, Symbol("x"), 5n, [null], { a: null }];
const CALLS = [[], ...WRONG.map((wrong) => [wrong]), ...[["x"], [{}], [[]], ["openai-chat"], ["openai-chat", []], ["openai-chat", "anthropic"]].flatMap((before) => WRONG.slice(0, 6).map((wrong) => [...before, wrong]))];

const { exports } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
/** These load an SDK or another module, or start a program. */
const NOT_HERE = ["./cli", "./inline", "./langchain", "./langgraph", "./react", "./wasm"];
/** What they throw on purpose: a failed assertion, and what Node says of its own modules. */
const OTHERWISE = { assertSendable: /^the provider would reject it/, sqliteStore: /node:sqlite/ };
/** Not declared: the command line uses them. */
const INTERNAL = ["TranscriptError", "listKey"];

for (const path of Object.keys(exports).filter((path) => !NOT_HERE.some((other) => path.startsWith(other)) && !/\.(json|wasm|bin)$/.test(path))) {
  const entry = await import(`contextfold${path.slice(1)}`);
  const functions = Object.entries(entry).filter(([name, value]) => typeof value === "function" && !/^[A-Z]/.test(name) && !INTERNAL.includes(name));
  if (functions.length > 0)
    describe(`contextfold${path.slice(1)}`, () => {
      for (const [name, called] of functions)
        test(name, async () => {
          for (const args of CALLS)
            try {
              await Promise.race([called(...args), new Promise(setImmediate)]);
            } catch (error) {
              if (OTHERWISE[name]?.test(error.message)) continue;
              assert.ok(error instanceof ContextError || error instanceof TranscriptError, `${name}(${args.map(shown)}): ${error}`);
            }
        });
    });
}

function shown(value) {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
