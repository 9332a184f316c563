// Splits the module in two for Node, which reads it from disk at every start. `core.wasm` has the functions that a session runs from its
// creation to its model calls. The first call of any other function loads `contextfold_bg.wasm` beside it, which has all functions, because
// a call between two instances costs several times as much as a call within one. Both work as one module, with the same memory, the same
// tables and the same function pointers. So `contextfold_bg.wasm` imports its memory and tables: in Node the core's, elsewhere new ones
// (pkg/parts.js), which `begin` fills.
//
// Which functions belong to the core is found by running such a session (session-run.mjs) in a copy that records the calls.
//
// Why: V8 validates a whole module before its first call, which takes 10 ms for 3 MB at every start. The whole module is compiled in the
// background as soon as the program waits for something, so the first fold does not wait for it, and the package may be replaced under a
// running process. With the core's functions as imports a fold was twice as slow, so the whole module contains them again. Binaryen's own
// `wasm-split` is not in its npm package, and calls from one half into the other. Browsers and workers load only the whole module:
// everything must be there before the first call that cannot wait.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, wasmDir } from "./paths.mjs";

/** The table in which the core finds functions of the whole module. */
const SLOTS = "slots";
/** The prefix of exports and imports that connect the two modules. */
const INTERNAL_PREFIX = "$";

/** Writes core.wasm and contextfold_bg.wasm from the bytes of the module. */
export async function writeSplit(bytes) {
  const { default: binaryen } = await import("binaryen");
  const called = functionsOfASession(binaryen, bytes);
  // The whole module imports memory and tables from a module of this name, so it cannot be linked to the core of another build.
  const build = `core-${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}`;
  const core = binaryen.readBinary(bytes);
  const whole = binaryen.readBinary(bytes);
  openWhole(binaryen, whole, build, cutCore(binaryen, core, called, build));
  for (const [name, module] of Object.entries({ core, contextfold_bg: whole })) {
    if (!module.validate()) throw new Error(`${name}.wasm is not valid`);
    writeFileSync(join(wasmDir, `${name}.wasm`), module.emitBinary());
    module.dispose();
  }
}

/**
 * Keeps the functions that were called. Other functions that these may call are replaced by calls into the whole module. Returns the names
 * of the replaced ones.
 */
function cutCore(binaryen, core, called, build) {
  const { i32, none } = binaryen;
  const others = functionsOf(binaryen, core).filter(({ name }) => !called.has(name));
  for (const { name } of others) binaryen.Function(core.getFunction(name)).body = core.unreachable();
  core.runPasses(["remove-unused-module-elements"]);
  const left = new Set(functionsOf(binaryen, core).map(({ name }) => name));
  const reached = others.filter(({ name }) => left.has(name));

  core.addGlobal("isWhole", i32, true, core.i32.const(0));
  core.addGlobalExport("isWhole", `${INTERNAL_PREFIX}isWhole`);
  core.addFunctionImport("loadWhole", build, "loadWhole", none, none);
  core.addFunction("needWhole", none, none, [], core.if(core.i32.eqz(core.global.get("isWhole", i32)), core.call("loadWhole", [], none)));
  core.addTable(SLOTS, reached.length, reached.length);
  core.addTableExport(SLOTS, INTERNAL_PREFIX + SLOTS);
  for (const [slot, { name, params, results }] of reached.entries()) {
    const operands = binaryen.expandType(params).map((type, at) => core.local.get(at, type));
    const call = core.call_indirect(SLOTS, core.i32.const(slot), operands, params, results);
    core.removeFunction(name);
    core.addFunction(name, params, results, [], core.block(null, [core.call("needWhole", [], none), call], results));
  }
  for (const { name } of tablesOf(binaryen, core)) if (name !== SLOTS) core.addTableExport(name, `${INTERNAL_PREFIX}table${name}`);
  for (const { name, mutable } of globalsOf(binaryen, core)) if (mutable && name !== "isWhole") core.addGlobalExport(name, `${INTERNAL_PREFIX}global${name}`);
  return reached.map(({ name }) => name);
}

/** Turns memory, tables and the stack pointer into imports, and describes them in a custom section. */
function openWhole(binaryen, whole, build, inSlots) {
  const tables = tablesOf(binaryen, whole);
  const globals = globalsOf(binaryen, whole).filter(({ mutable }) => mutable);
  const { initial, max } = whole.getMemoryInfo();
  const segments = each(whole.getNumDataSegments(), (i) => whole.getDataSegmentInfo(whole.getDataSegmentByIndex(i)));
  const data = segments.map(({ data }, i) => ({ name: `data${i}`, passive: true, data: new Uint8Array(data) })); // a core has filled the memory already
  whole.setMemory(initial, max ?? -1, null, data, false, false, "0");
  whole.addMemoryImport("0", build, "memory");
  for (const { name } of tables) whole.addTableImport(name, build, `${INTERNAL_PREFIX}table${name}`);
  for (const { name, type } of globals) whole.addGlobalImport(name, build, `${INTERNAL_PREFIX}global${name}`, type, true);
  whole.addTable(SLOTS, inSlots.length, inSlots.length);
  whole.addTableImport(SLOTS, build, INTERNAL_PREFIX + SLOTS);
  whole.addActiveElementSegment(SLOTS, SLOTS, inSlots, whole.i32.const(0));

  const filled = data.flatMap(({ name, data }, i) => [
    whole.memory.init(name, whole.i32.const(segments[i].offset), whole.i32.const(0), whole.i32.const(data.length), "0"),
    whole.data.drop(name),
  ]);
  whole.addFunction("begin", binaryen.none, binaryen.none, [], whole.block(null, filled));
  whole.addFunctionExport("begin", `${INTERNAL_PREFIX}begin`);
  const limits = (initial, maximum) => ({ initial, maximum });
  const parts = {
    build,
    memory: limits(initial, max),
    tables: Object.fromEntries([
      ...tables.map(({ name, initial, max }) => [`${INTERNAL_PREFIX}table${name}`, { element: binaryen.Table.getType(whole.getTable(name)) === binaryen.externref ? "externref" : "anyfunc", ...limits(initial, max) }]),
      [INTERNAL_PREFIX + SLOTS, { element: "anyfunc", ...limits(inSlots.length, inSlots.length) }],
    ]),
    globals: Object.fromEntries(globals.map(({ name, init }) => [`${INTERNAL_PREFIX}global${name}`, binaryen.getExpressionInfo(init).value])),
  };
  whole.addCustomSection("parts", new TextEncoder().encode(JSON.stringify(parts)));
}

/** The names of the functions that such a session calls. */
function functionsOfASession(binaryen, bytes) {
  const module = binaryen.readBinary(bytes);
  const functions = functionsOf(binaryen, module);
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

const each = (length, at) => Array.from({ length }, (_, i) => at(i));
/** The functions with a body, not the imported ones. */
const functionsOf = (binaryen, module) => each(module.getNumFunctions(), (i) => binaryen.getFunctionInfo(module.getFunctionByIndex(i))).filter(({ module }) => !module);
const tablesOf = (binaryen, module) => each(module.getNumTables(), (i) => binaryen.getTableInfo(module.getTableByIndex(i)));
const globalsOf = (binaryen, module) => each(module.getNumGlobals(), (i) => binaryen.getGlobalInfo(module.getGlobalByIndex(i)));
