// The module in two for Node, which reads it from disk at every start: `core.wasm` with the functions that a session runs from its
// making to each model call, and `rest.wasm` with all others, which the first call of one of them loads. What those call of the
// core's is in both: a call from one instance into another costs several times what it costs within one. Together they are the
// module: one memory, the same tables, the same numbers behind function pointers.
//
// Which functions are the core's is found out by running such a session (session-run.mjs) in a copy that notes what is called.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, wasmDir } from "./paths.mjs";

/** The table in which the core finds functions of the rest. */
const SLOTS = "slots";
/** What the core exports for the rest alone begins with this. */
const OWN = "$";

/** Writes core.wasm and rest.wasm from the bytes of the module. */
export async function writeSplit(bytes) {
  const { default: binaryen } = await import("binaryen");
  const called = functionsOfASession(binaryen, bytes);
  // The rest takes memory and tables from a module of this name: beside the core of another build it cannot be put.
  const build = `core-${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}`;
  const core = binaryen.readBinary(bytes);
  const rest = binaryen.readBinary(bytes);
  cutRest(binaryen, rest, build, cutCore(binaryen, core, called, build));
  for (const [name, module] of Object.entries({ core, rest })) {
    if (!module.validate()) throw new Error(`${name}.wasm is not valid`);
    writeFileSync(join(wasmDir, `${name}.wasm`), module.emitBinary());
    module.dispose();
  }
}

/** Leaves the functions that were called, and of others that these may call what calls them in the rest; gives the names of those. */
function cutCore(binaryen, core, called, build) {
  const { i32, none } = binaryen;
  const others = functionsOf(binaryen, core).filter(({ name }) => !called.has(name));
  for (const { name } of others) binaryen.Function(core.getFunction(name)).body = core.unreachable();
  core.runPasses(["remove-unused-module-elements"]);
  const left = new Set(functionsOf(binaryen, core).map(({ name }) => name));
  const reached = others.filter(({ name }) => left.has(name));

  core.addGlobal("isWhole", i32, true, core.i32.const(0));
  core.addGlobalExport("isWhole", `${OWN}isWhole`);
  core.addFunctionImport("loadRest", build, "loadRest", none, none);
  core.addFunction("needRest", none, none, [], core.if(core.i32.eqz(core.global.get("isWhole", i32)), core.call("loadRest", [], none)));
  core.addTable(SLOTS, reached.length, reached.length);
  core.addTableExport(SLOTS, OWN + SLOTS);
  for (const [slot, { name, params, results }] of reached.entries()) {
    const operands = binaryen.expandType(params).map((type, at) => core.local.get(at, type));
    const call = core.call_indirect(SLOTS, core.i32.const(slot), operands, params, results);
    core.removeFunction(name);
    core.addFunction(name, params, results, [], core.block(null, [core.call("needRest", [], none), call], results));
  }
  for (const { name } of tablesOf(binaryen, core)) if (name !== SLOTS) core.addTableExport(name, `${OWN}table${name}`);
  for (const { name, mutable } of globalsOf(binaryen, core)) if (mutable && name !== "isWhole") core.addGlobalExport(name, `${OWN}global${name}`);
  return reached.map(({ name }) => name);
}

/** Leaves the functions in the slots and behind function pointers, and what these call. */
function cutRest(binaryen, rest, build, inSlots) {
  const segments = each(rest.getNumElementSegments(), (i) => binaryen.getElementSegmentInfo(rest.getElementSegmentByIndex(i)));
  for (const { name } of segments) rest.removeElementSegment(name);
  for (const { name } of each(rest.getNumExports(), (i) => binaryen.getExportInfo(rest.getExportByIndex(i)))) rest.removeExport(name);
  const { initial } = rest.getMemoryInfo();
  rest.setMemory(initial, -1, null, [], false, false, "0"); // its data are the core's to write
  rest.addMemoryImport("0", build, "memory");
  for (const { name } of tablesOf(binaryen, rest)) rest.addTableImport(name, build, `${OWN}table${name}`);
  for (const { name, type, mutable } of globalsOf(binaryen, rest)) if (mutable) rest.addGlobalImport(name, build, `${OWN}global${name}`, type, true);
  rest.addTable(SLOTS, inSlots.length, inSlots.length);
  rest.addTableImport(SLOTS, build, OWN + SLOTS);
  rest.addActiveElementSegment(SLOTS, SLOTS, inSlots, rest.i32.const(0));
  // Function pointers lead to the functions themselves from now on.
  for (const { name, table, offset, data } of segments) rest.addActiveElementSegment(table, name, data, rest.copyExpression(offset));
  rest.runPasses(["remove-unused-module-elements"]);
}

/** The names of the functions that a session calls. */
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
/** The functions that have a body. */
const functionsOf = (binaryen, module) => each(module.getNumFunctions(), (i) => binaryen.getFunctionInfo(module.getFunctionByIndex(i))).filter(({ module }) => !module);
const tablesOf = (binaryen, module) => each(module.getNumTables(), (i) => binaryen.getTableInfo(module.getTableByIndex(i)));
const globalsOf = (binaryen, module) => each(module.getNumGlobals(), (i) => binaryen.getGlobalInfo(module.getGlobalByIndex(i)));
