// Arranges the module's file so that Node, which reads it from disk at every start, can begin with a part of it. The functions that a
// session runs from its creation to its model calls come first: the core. Which they are is found by running such a session
// (session-run.mjs) in a copy that records the calls.
//
// Node makes a module of the core alone (pkg/split.js): the same file without all other functions. In place of those that the core
// calls, it has their stubs, which are the last functions of the file: a stub loads the whole module at the first call. Both then work as
// one, with the same memory, the same tables and the same function pointers: so the file imports its memory and tables, which
// pkg/parts.js makes and `begin` fills.
//
// Why: V8 validates a whole module before its first call, which takes 10 ms for 3 MB at every start. The whole module is compiled in the
// background as soon as the program waits for something, so the first fold does not wait for it. It has the core's functions, too,
// because a call between two instances costs several times as much as a call within one: with the core's functions as imports, a fold
// was twice as slow. Browsers and workers load the file as it is: everything must be there before the first call that cannot wait.

import binaryen from "binaryen";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CODE, FUNCTIONS, alike, each, functionsOf, inOrder, placesIn } from "./order.mjs";
import { root, wasmDir } from "./paths.mjs";

/** The table in which the stubs find the functions that they stand for. The core fills it with the stubs, and the whole module with the functions. */
const SLOTS = "$slots";

/** The bytes of the section that describes the parts, with its name. pkg/split.js knows it, too. */
const ROOM = 1000;

/** Writes contextfold_bg.wasm from the bytes of the module, which still has the functions' names. */
export function writeSplit(bytes) {
  const called = functionsOfASession(bytes);
  const reached = reachedFrom(called, bytes);
  const module = binaryen.readBinary(bytes);
  const names = alike(module, bytes);
  const build = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const parts = openParts(module, build);
  const core = ["begin", "needWhole", ...names.filter((name) => called.has(name))];
  const stubs = addStubs(module, build, names.filter((name) => reached.has(name)));
  parts.tables[SLOTS] = { element: "anyfunc", initial: stubs.size, maximum: stubs.size };
  inOrder(module, [...core, ...stubs.values(), ...names, ...stubs.keys()]);
  if (!module.validate()) throw new Error("the module is not valid");
  writeFileSync(join(wasmDir, "contextfold_bg.wasm"), withParts(module.emitBinary(), parts, core.length, core.length + stubs.size));
  module.dispose();
}

/** The names of the functions that the core does not have, but calls, exports or has in its table. */
function reachedFrom(called, bytes) {
  const core = binaryen.readBinary(bytes);
  const others = functionsOf(core).filter(({ name }) => !called.has(name));
  for (const { name } of others) binaryen.Function(core.getFunction(name)).body = core.unreachable();
  core.runPasses(["remove-unused-module-elements"]);
  const left = new Set(functionsOf(core).map(({ name }) => name));
  core.dispose();
  return new Set(others.map(({ name }) => name).filter((name) => left.has(name)));
}

/** Turns memory, tables and the stack pointer into imports, and describes them. */
function openParts(module, build) {
  const tables = tablesOf(module);
  const globals = globalsOf(module).filter(({ mutable }) => mutable);
  const { initial, max } = module.getMemoryInfo();
  const segments = each(module.getNumDataSegments(), (i) => module.getDataSegmentInfo(module.getDataSegmentByIndex(i)));
  const data = segments.map(({ data }, i) => ({ name: `data${i}`, passive: true, data: new Uint8Array(data) })); // filled once, not by each instance
  module.setMemory(initial, max ?? -1, null, data, false, false, "0");
  module.addMemoryImport("0", build, "memory");
  for (const { name } of tables) module.addTableImport(name, build, `$table${name}`);
  for (const { name, type } of globals) module.addGlobalImport(name, build, `$global${name}`, type, true);
  const filled = data.flatMap(({ name, data }, i) => [
    module.memory.init(name, module.i32.const(segments[i].offset), module.i32.const(0), module.i32.const(data.length), "0"),
    module.data.drop(name),
  ]);
  module.addFunction("begin", binaryen.none, binaryen.none, [], module.block(null, filled));
  module.addFunctionExport("begin", "$begin");
  return {
    build,
    memory: { initial, maximum: max },
    tables: Object.fromEntries(tables.map(({ name, initial, max }) => [`$table${name}`, { element: binaryen.Table.getType(module.getTable(name)) === binaryen.externref ? "externref" : "anyfunc", initial, maximum: max }])),
    globals: Object.fromEntries(globals.map(({ name, init }) => [`$global${name}`, binaryen.getExpressionInfo(init).value])),
  };
}

/** Adds a stub for each of these functions. Returns the functions by the names of their stubs. */
function addStubs(module, build, reached) {
  const { i32, none } = binaryen;
  module.addFunctionImport("loadWhole", build, "loadWhole", none, none);
  module.addGlobal("isWhole", i32, true, module.i32.const(0));
  module.addGlobalExport("isWhole", "$isWhole");
  module.addFunction("needWhole", none, none, [], module.if(module.i32.eqz(module.global.get("isWhole", i32)), module.call("loadWhole", [], none)));
  module.addTable(SLOTS, reached.length, reached.length);
  module.addTableImport(SLOTS, build, SLOTS);
  module.addActiveElementSegment(SLOTS, SLOTS, reached, module.i32.const(0));
  return new Map(
    reached.map((name, slot) => {
      const { params, results } = binaryen.getFunctionInfo(module.getFunction(name));
      const operands = binaryen.expandType(params).map((type, at) => module.local.get(at, type));
      const call = module.call_indirect(SLOTS, module.i32.const(slot), operands, params, results);
      module.addFunction(`stub ${slot}`, params, results, [], module.block(null, [module.call("needWhole", [], none), call], results));
      return [`stub ${slot}`, name];
    }),
  );
}

/**
 * The module's bytes, with a description of its parts at the head, which Node reads first. Of the functions, the first `core` are the
 * core; those up to `kept` have the stubs, which are the last ones.
 */
function withParts(bytes, parts, core, kept) {
  const types = placesIn(bytes, FUNCTIONS);
  const code = placesIn(bytes, CODE);
  const moved = (places) => Object.fromEntries(Object.entries(places).map(([name, at]) => [name, at + ROOM + 3]));
  const described = {
    ...parts,
    kept,
    functions: moved({ start: types.start, first: types.items[0], others: types.items[kept], end: types.end }),
    code: moved({ start: code.start, first: code.items[0], others: code.items[core], stubs: code.items.at(core - kept), end: code.end }),
  };
  const section = Buffer.from(`\x05parts${JSON.stringify(described)}`.padEnd(ROOM));
  if (section.length > ROOM) throw new Error("the description of the parts needs more room, here and in pkg/split.js");
  return Buffer.concat([bytes.subarray(0, 8), Buffer.from([0, (ROOM & 0x7f) | 0x80, ROOM >> 7]), section, bytes.subarray(8)]);
}

/** The names of the functions that such a session calls. */
function functionsOfASession(bytes) {
  const module = binaryen.readBinary(bytes);
  const functions = functionsOf(module);
  module.addFunctionImport("called", "profile", "called", binaryen.i32, binaryen.none);
  for (const [number, { name, body, results }] of functions.entries())
    binaryen.Function(module.getFunction(name)).body = module.block(null, [module.call("called", [module.i32.const(number)], binaryen.none), body], results);
  const folder = mkdtempSync(join(tmpdir(), "contextfold-"));
  try {
    const file = join(folder, "profiled.wasm");
    writeFileSync(file, module.emitBinary());
    const numbers = JSON.parse(execFileSync("node", [join(root, "scripts/lib/session-run.mjs"), file], { encoding: "utf8" }));
    return new Set(numbers.map((number) => functions[number].name));
  } finally {
    rmSync(folder, { recursive: true });
    module.dispose();
  }
}

const tablesOf = (module) => each(module.getNumTables(), (i) => binaryen.getTableInfo(module.getTableByIndex(i)));
const globalsOf = (module) => each(module.getNumGlobals(), (i) => binaryen.getGlobalInfo(module.getGlobalByIndex(i)));
