// Loads the module for Node in two steps: first its core, from the beginning and the end of the file (scripts/lib/split.mjs); then the
// whole module, when a function that the core lacks is first called.

import { madeParts } from "./parts.js";

/** The rest of the file cannot be loaded. Like a trap: the call that needs it can neither continue nor be undone. */
export class WholeMissing extends WebAssembly.RuntimeError {}

/** Where the description of the parts is, after the headers of the file and of a section. */
const DESCRIBED = { from: 17, to: 1011 };
/** The kinds of the sections that have the functions' types and their bodies. */
const FUNCTIONS = 3;
const CODE = 10;

/**
 * Instantiates the core of the module in `file`. That has a `size`; `read(bytes, at, from, to)` reads a part of it to `at` in `bytes`, and
 * `readLater` does so without blocking; `idle()` is settled as soon as the program waits for something; `close()` ends it.
 */
export function instantiateSplit(file, imports) {
  const described = new Uint8Array(DESCRIBED.to - DESCRIBED.from);
  file.read(described, 0, DESCRIBED.from, DESCRIBED.to);
  const { kept, functions, code, ...parts } = JSON.parse(new TextDecoder().decode(described));
  // The core has these pieces of the file, and headers of its own for the two sections that are shorter.
  const pieces = [
    { from: 0, to: functions.start },
    { header: header(FUNCTIONS, kept, functions.others - functions.first), from: functions.first, to: functions.others },
    { from: functions.end, to: code.start },
    { header: header(CODE, kept, code.others - code.first + code.end - code.stubs), from: code.first, to: code.others },
    { from: code.stubs, to: file.size },
  ];
  let core = coreOf(file, pieces);
  const all = { ...imports, ...madeParts(parts, loadWhole) };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(core), all);

  let whole; // its bytes, then compiled
  compileAhead().catch(() => {}); // an error is reported when the module is needed
  /** Compiles the whole module in the background, so that the first fold does not wait for it. A program that ends earlier does not. */
  async function compileAhead() {
    await file.idle();
    const bytes = core && copied(core, pieces, file.size);
    try {
      for (const { from, to } of core ? between(pieces) : []) await file.readLater(bytes, from, from, to);
    } finally {
      file.close();
    }
    if (!core) return; // it was loaded in the meantime
    whole = bytes;
    const module = await WebAssembly.compile(bytes);
    if (!core) return;
    whole = module;
    core = undefined;
  }

  function loadWhole() {
    try {
      whole ??= readWhole();
      new WebAssembly.Instance(whole instanceof WebAssembly.Module ? whole : new WebAssembly.Module(whole), all);
    } catch (cause) {
      throw new WholeMissing(`the rest of contextfold's contextfold_bg.wasm cannot be loaded (${cause}): was the file changed while the program was running?`);
    }
    exports.$isWhole.value = 1;
    core = whole = undefined;
  }
  function readWhole() {
    const bytes = copied(core, pieces, file.size);
    for (const { from, to } of between(pieces)) file.read(bytes, from, from, to);
    return bytes;
  }
  return { exports };
}

/** Reads the core, and notes `at` each piece where it is there. */
function coreOf(file, pieces) {
  let size = 0;
  for (const piece of pieces) {
    piece.at = size + (piece.header?.length ?? 0);
    size = piece.at + piece.to - piece.from;
  }
  const core = new Uint8Array(size);
  for (const { header = [], at, from, to } of pieces) {
    core.set(header, at - header.length);
    file.read(core, at, from, to);
  }
  return core;
}

/** Room for the whole file, with the pieces that the core has. */
function copied(core, pieces, size) {
  const whole = new Uint8Array(size);
  for (const { at, from, to } of pieces) whole.set(core.subarray(at, at + to - from), from);
  return whole;
}

/** What is between the pieces. */
const between = (pieces) => pieces.slice(1).map(({ from }, i) => ({ from: pieces[i].to, to: from }));

/** The header of a section with `count` items of `size` bytes. */
function header(kind, count, size) {
  const number = (value) => [0, 7, 14, 21, 28].map((shift) => ((value >>> shift) & 0x7f) | (shift < 28 ? 0x80 : 0));
  return [kind, ...number(size + 5), ...number(count)];
}
