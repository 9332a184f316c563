// The package's types compile in a project without `skipLibCheck`: with node16 and with a bundler's resolution, with the SDKs
// installed, and without the types of browsers (`lib: dom`), which a project for Node does not have.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { placed } from "./place.mjs";

const { exports } = JSON.parse(readFileSync(join(placed, "package.json"), "utf8"));
const typeRoots = [fileURLToPath(new URL("../../node_modules/@types", import.meta.url))];

/** Every file that `exports` names as `types`. */
const declared = (entry) => (typeof entry !== "object" ? [] : Object.entries(entry).flatMap(([condition, inner]) => (condition === "types" ? [join(placed, inner)] : declared(inner))));
const files = [...new Set(declared(exports))];

for (const [name, options] of [
  ["node16", { module: ts.ModuleKind.Node16 }],
  ["bundler", { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }],
])
  test(`every public declaration compiles without skipLibCheck and without lib dom: ${name}`, () => {
    const ofModule = name === "bundler" ? files.filter((file) => !file.endsWith(".cts")) : files;
    assert.ok(ofModule.length > 25, String(ofModule.length));
    const program = ts.createProgram(ofModule, { ...options, strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false, target: ts.ScriptTarget.ES2022, lib: ["lib.es2023.d.ts"], types: ["node"], typeRoots });
    // Only our own files: what the SDKs' declarations lack is not ours to mend.
    const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(placed.replaceAll("\\", "/")));
    assert.ok(ours.length >= ofModule.length);
    const found = ours.flatMap((source) => [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]);
    const told = found.map(({ file, start, messageText }) => `${file.fileName.slice(placed.length + 1)}:${file.getLineAndCharacterOfPosition(start).line + 1}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
    assert.deepEqual(told, []);
  });
