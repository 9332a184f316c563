// Cleans the stack of an error for its reader: the caller's own line comes first, without frames of the module.

/** The files of `pkg` that are between a caller and the module. A test compares them with the folder. */
export const WRAPPER_FILES = ["edge-light", "encoding", "error", "exports", "fetch", "given", "guard", "load", "nearest", "node", "object-makers", "pack", "parts", "presets", "print-state", "refuse-clones", "room", "split", "stack", "template", "tokenizer", "web", "workerd"];

/** Matches stack frames of the module, its glue and the files above. */
const INSIDE = new RegExp(
  String.raw`[\\/]pkg[\\/](?:wasm[\\/](?:contextfold_bg|cjs[\\/]node\.cjs)|(?:${WRAPPER_FILES.join("|")}|host[\\/]\w+|node\.bundle)\.js)|wasm:\/\/|wasm-function|\[wasm code\]`,
);

/** Maximum number of frames between a caller and the module's error. */
const EXTRA_FRAMES = 30;

/** Makes V8 capture more frames. Returns the old limit, which `trimStack` sets again. */
export function withDeeperStack() {
  const limit = Error.stackTraceLimit;
  if (typeof limit === "number" && limit > 0) Reflect.set(Error, "stackTraceLimit", limit + EXTRA_FRAMES);
  return limit;
}

/** Removes the frames of the module from an error that was just made. */
export function trimStack(error, limit) {
  if (typeof limit === "number" && limit > 0) Reflect.set(Error, "stackTraceLimit", limit);
  const frames = framesOf(error, limit);
  if (frames.length > 0) write(error, frames);
}

/** Captures the stack of the call that made a promise, because it is gone by the time the promise rejects. */
export function calledFrom(called) {
  if (typeof Error.captureStackTrace !== "function") return undefined;
  const place = {};
  Error.captureStackTrace(place, called);
  return { stack: place.stack }; // as text: before it is read, V8 keeps the objects of all frames alive
}

const placed = new WeakSet();

/** Makes the stack of a rejected error begin at the call that made the promise. */
export function placeAt(error, place) {
  if (!place || placed.has(error)) return;
  placed.add(error); // callers who joined a run later get the error with the stack of the caller who began it
  const frames = framesOf(place);
  if (frames.length > 0) write(error, frames);
}

function framesOf({ stack, name, message }, limit = Infinity) {
  if (typeof stack !== "string") return []; // the host has a `prepareStackTrace` of its own
  const head = `${name}: ${message}`;
  const lines = (stack.startsWith(head) ? stack.slice(head.length) : stack).split("\n");
  return lines.filter((line) => /^ +at |@/.test(line) && !INSIDE.test(line)).slice(0, limit);
}

function write(error, frames) {
  const text = frames.join("\n");
  const value = frames[0].startsWith(" ") ? `${error.name}: ${error.message}\n${text}` : text;
  Reflect.defineProperty(error, "stack", { value, writable: true, configurable: true }); // a frozen error keeps its stack
}
