// The declared names are the names that are there, in every entry.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const declared = valueNames(fileURLToPath(new URL("../../pkg/index.d.ts", import.meta.url)));

for (const entry of ["contextfold", "contextfold/inline", "../../pkg/web.js"])
  test(`${entry} exports what its types declare`, async () => {
    assert.deepEqual(Object.keys(await import(entry)).sort(), declared);
  });

test("require exports what its types declare", () => {
  assert.deepEqual(Object.keys(createRequire(import.meta.url)("contextfold")).sort(), declared);
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
