// The generated declarations read as if written by hand: no `any`, nothing declared twice, everything documented.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
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

test("each store's types compile alone, without a newer library", () => {
  const types = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).exports;
  const stores = Object.entries(types).filter(([name]) => name.startsWith("./stores/"));
  assert.ok(stores.length > 8);
  for (const [name, { import: { types } }] of stores) {
    const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, lib: ["lib.es2022.d.ts", "lib.dom.d.ts"], types: [], strict: true };
    const alone = ts.createProgram([fileURLToPath(new URL(`../../${types}`, import.meta.url))], options);
    const ours = ts.getPreEmitDiagnostics(alone).filter(({ file }) => !file?.fileName.includes("node_modules"));
    assert.deepEqual(ours.map((d) => ts.flattenDiagnosticMessageText(d.messageText, " ")).filter((text) => /dispose/.test(text)), [], name);
  }
});

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

/** The optional properties that a caller sets: of the types of options, and of objects written into the types of parameters. */
function optionsIn(source) {
  const ofNamed = (node) => {
    let at = node.parent;
    while (at && !ts.isInterfaceDeclaration(at) && !ts.isTypeAliasDeclaration(at) && !ts.isFunctionTypeNode(at) && !ts.isMethodSignature(at)) at = at.parent;
    return at?.name && !ts.isMethodSignature(at) && /(Options|Config|Input)$/.test(at.name.text);
  };
  const ofParameter = (node) => {
    for (let at = node.parent; at; at = at.parent) {
      if (ts.isParameter(at)) return ts.isMethodDeclaration(at.parent) || ts.isFunctionDeclaration(at.parent) || ts.isConstructorDeclaration(at.parent);
      if (ts.isFunctionTypeNode(at) || ts.isMethodSignature(at) || ts.isInterfaceDeclaration(at)) return false; // a callback's parameters come from us
    }
    return false;
  };
  return [...nodes(source)].filter((node) => ts.isPropertySignature(node) && node.questionToken && (ofNamed(node) || ofParameter(node)));
}

test("every option may be undefined, as exactOptionalPropertyTypes asks for", () => {
  const folders = ["", "integrations/", "stores/", "transcript/", "integrations/shared/"];
  const written = folders.flatMap((folder) => readdirSync(path(folder)).filter((name) => name.endsWith(".d.ts")).map((name) => `${folder}${name}`));
  const takesUndefined = (type) => {
    const text = type.getText();
    return /(\||^)\s*(undefined|unknown|any|never)$/.test(text) || /^undefined\b/.test(text);
  };
  for (const file of ["wasm/contextfold.d.cts", ...written]) {
    const source = ts.createSourceFile(path(file), readFileSync(path(file), "utf8"), ts.ScriptTarget.ES2022, true);
    assert.deepEqual(optionsIn(source).filter(({ type }) => !takesUndefined(type)).map((node) => `${place(node)} ${node.name.getText()}`), []);
  }
});

test("the CommonJS types are the ESM types", () => {
  const names = (file) => {
    const checker = program.getTypeChecker();
    return checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path(file)))).map((s) => s.name).sort();
  };
  assert.deepEqual(names("wasm/cjs/index.d.cts"), names("index.d.ts"));
});
