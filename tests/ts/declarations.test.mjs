// The generated declarations read as if written by hand: no `any`, nothing declared twice, everything documented.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const FILES = ["index.d.ts", "error.d.ts", "wasm/contextfold.d.cts", "wasm/cjs/index.d.cts"];
const path = (file) => fileURLToPath(new URL(`../../pkg/${file}`, import.meta.url));
const program = ts.createProgram(FILES.map(path), { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true, skipLibCheck: false });

/** Every node of a file, depth first. */
function* nodes(node) {
  yield node;
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodes(child);
}

const place = (node) => {
  const source = node.getSourceFile();
  return `${source.fileName.split("/").pop()}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
};

for (const file of FILES) {
  const source = program.getSourceFile(path(file));
  test(`${file}: no any, no Function, no enum, no bigint`, () => {
    const bad = [...nodes(source)].filter(
      (n) =>
        n.kind === ts.SyntaxKind.AnyKeyword ||
        n.kind === ts.SyntaxKind.BigIntKeyword ||
        ts.isEnumDeclaration(n) ||
        (ts.isTypeReferenceNode(n) && ["Function", "Object", "Map", "Array"].includes(n.typeName.getText(source)) && !n.typeArguments),
    );
    assert.deepEqual(bad.map(place), []);
  });

  test(`${file}: compiles without errors`, () => {
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    assert.deepEqual(found.map((d) => ts.flattenDiagnosticMessageText(d.messageText, " ")), []);
  });
}

test("nothing is declared twice, except a class and the interface that extends it", () => {
  const source = program.getSourceFile(path("wasm/contextfold.d.cts"));
  const seen = new Map();
  for (const statement of source.statements) {
    if (!statement.name) continue;
    const name = statement.name.getText();
    seen.set(name, [...(seen.get(name) ?? []), ts.SyntaxKind[statement.kind]]);
  }
  const twice = [...seen].filter(([, kinds]) => kinds.length > 1 && !kinds.includes("ClassDeclaration"));
  assert.deepEqual(twice, []);
});

test("every public type, method and field is documented", () => {
  const source = program.getSourceFile(path("wasm/contextfold.d.cts"));
  const silent = [];
  for (const node of nodes(source)) {
    const named = ts.isPropertySignature(node) || ts.isMethodSignature(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node) || ts.isMethodDeclaration(node) || ts.isGetAccessor(node) || ts.isFunctionDeclaration(node);
    // Fields of a literal type are documented in the text of the type that uses it; free() and dispose come from the bindings.
    if (!named || node.parent.kind === ts.SyntaxKind.TypeLiteral || ["free", "[Symbol.dispose]"].includes(node.name?.getText())) continue;
    const own = ts.getJSDocCommentsAndTags(node).length > 0;
    const addsToAClass = ts.isInterfaceDeclaration(node) && node.name.text === "Session";
    if (!own && !addsToAClass) silent.push(`${place(node)} ${node.name.getText()}`);
  }
  assert.deepEqual(silent, []);
});

test("the CommonJS types are the ESM types", () => {
  const names = (file) => {
    const checker = program.getTypeChecker();
    return checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path(file)))).map((s) => s.name).sort();
  };
  assert.deepEqual(names("wasm/cjs/index.d.cts"), names("index.d.ts"));
});
