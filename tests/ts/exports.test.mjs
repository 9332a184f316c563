// The declared names are the exported names, in every entry.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const declared = valueNames(fileURLToPath(new URL("../../pkg/index.d.ts", import.meta.url)));

for (const entry of ["contextfold", "../../pkg/web.js"])
  test(`${entry} exports what its types declare`, async () => {
    assert.deepEqual(Object.keys(await import(entry)).sort(), declared);
  });

for (const entry of ["contextfold", "../../pkg/wasm/cjs/node.cjs"])
  test(`${entry}, required, exports what its types declare`, () => {
    const names = Object.keys(createRequire(import.meta.url)(entry)).filter((name) => name !== "__esModule"); // Node's own addition to an ES module
    assert.deepEqual(names.sort(), declared);
  });

test("every entry for Node can be required, has its own types, and shares one module", () => {
  const require = createRequire(import.meta.url);
  const { exports } = require("contextfold/package.json");
  const NO_PROGRAM = ["./wasm", "./package.json", "./encodings/*.bin"];
  for (const [entry, conditions] of Object.entries(exports)) {
    if (NO_PROGRAM.includes(entry)) continue;
    const required = (conditions.node ?? conditions).require ?? conditions.require;
    assert.match(required?.types ?? "", /\.d\.cts$/, entry);
    assert.ok(existsSync(new URL(`../../${required.types}`, import.meta.url)), required.types);
    if (!["./langchain", "./langgraph", "./react"].includes(entry)) assert.ok(Object.keys(require(`contextfold${entry.slice(1)}`)).length > 0, entry); // their peers are not here
  }
  const { readTranscript } = require("contextfold/transcript");
  assert.equal(readTranscript(JSON.stringify([{ role: "user", content: [{ type: "text", text: "go" }] }, { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] }])).format, "anthropic");
  assert.equal(typeof require("contextfold/stores/memory").memoryStore().getItem, "function");
});

/** The names a declaration file exports that exist at run time. */
function valueNames(file) {
  const program = ts.createProgram([file], { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 });
  const checker = program.getTypeChecker();
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  const resolved = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  return symbols
    .filter((symbol) => resolved(symbol).flags & ts.SymbolFlags.Value)
    .map((symbol) => symbol.name)
    .sort();
}
