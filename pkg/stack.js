// An error's stack as its reader wants it: the caller's own line first, and nothing of how it got through the module.

/** The files of `pkg` that stand between a caller and the module; a test compares them with the folder. */
export const BETWEEN = ["edge-light", "encoding", "error", "exports", "fetch", "guard", "load", "made", "nearest", "node", "pack", "parts", "presets", "room", "shown", "split", "stack", "template", "tokenizer", "uncloned", "web", "workerd"];

/** Frames of the module, its glue and what stands between. */
const INSIDE = new RegExp(
  String.raw`[\\/]pkg[\\/](?:wasm[\\/](?:contextfold_bg|cjs[\\/]node\.cjs)|(?:${BETWEEN.join("|")}|(?:node|inline|shared-\w+)\.bundle)\.js)|wasm:\/\/|wasm-function|\[wasm code\]`,
);

/** So many frames the way through the module takes at most. */
const WAY = 30;

/** Has errors capture more frames, where that is V8's to say; gives the limit, for `trimStack` to set it again. */
export function withDeeperStack() {
  const limit = Error.stackTraceLimit;
  if (typeof limit === "number" && limit > 0) Reflect.set(Error, "stackTraceLimit", limit + WAY);
  return limit;
}

/** Takes the frames of the module out of an error that was just made. */
export function trimStack(error, limit) {
  if (typeof limit === "number" && limit > 0) Reflect.set(Error, "stackTraceLimit", limit);
  const frames = framesOf(error, limit);
  if (frames.length > 0) write(error, frames);
}

/** Where a promise was asked for, as an error's stack is lost by the time that it rejects. */
export function calledFrom(called) {
  if (typeof Error.captureStackTrace !== "function") return undefined;
  const place = {};
  Error.captureStackTrace(place, called);
  return place;
}

const placed = new WeakSet();

/** Has an error of ours that a promise rejects with begin at the call that gave the promise. */
export function placeAt(error, place) {
  if (!place || placed.has(error)) return;
  placed.add(error); // whoever joined a run later hears of it as the one who began it
  const frames = framesOf(place);
  if (frames.length > 0) write(error, frames);
}

function framesOf({ stack, name, message }, limit = Infinity) {
  if (typeof stack !== "string") return []; // the host's own `prepareStackTrace`
  const head = `${name}: ${message}`;
  const lines = (stack.startsWith(head) ? stack.slice(head.length) : stack).split("\n");
  return lines.filter((line) => /^ +at |@/.test(line) && !INSIDE.test(line)).slice(0, limit);
}

function write(error, frames) {
  const text = frames.join("\n");
  const value = frames[0].startsWith(" ") ? `${error.name}: ${error.message}\n${text}` : text;
  Reflect.defineProperty(error, "stack", { value, writable: true, configurable: true }); // whoever froze it keeps it
}
