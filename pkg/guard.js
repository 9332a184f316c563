// A layer between the generated glue and the module, so that callers never see a raw trap or a raw error of the bindings.
//
// The glue takes every function from one object, its `wasm`. We provide that object. Before the module is loaded, it throws
// NOT_INITIALIZED; while the module runs, it turns a trap into INTERNAL; after a trap, when memory can no longer be trusted, it
// throws INTERNAL for every call.

import { ContextError, nameClass } from "./error.js";
import { isResolved } from "./object-makers.js";
import { INTERNAL_PREFIX } from "./parts.js";
import { WholeMissing } from "./split.js";
import { calledFrom, placeAt } from "./stack.js";

/** The glue's `wasm` before the module is loaded. */
export const unloaded = refusing(
  () => new ContextError("NOT_INITIALIZED", "contextfold is not loaded yet: call `await init()` first"),
);

/** The glue's `wasm` for these exports. After a trap, `onTrap` is called with the object to use instead from then on, and the error. */
export function guarded(exports, onTrap) {
  const out = Object.create(null);
  let broken; // the error of the first trap
  const failed = (thrown) => {
    if (!isTrap(thrown)) return translated(thrown);
    if (!broken) {
      const used = exports.memory?.buffer.byteLength ?? 0;
      broken = internal(thrown, used);
      onTrap(refusing(() => internal(thrown, used)), broken);
    }
    return broken;
  };
  for (const [name, value] of Object.entries(exports)) {
    if (name.startsWith(INTERNAL_PREFIX)) continue;
    if (typeof value !== "function") out[name] = value;
    else if (isRelease(name)) out[name] = releasing(calling(value, failed), exports.setFreeing);
    else out[name] = calling(value, failed);
  }
  return out;
}

// Every call into the module goes through here, with a copy of its arguments. Without the copy, V8 would inline the call; and
// V8 11.3 (Node 20) crashes the process if it has to deoptimise that while a function of the module runs that returns an
// object. The copy costs some 50 ns.
const copied = Array.prototype.slice;
function calling(fn, failed) {
  return function () {
    try {
      return fn.apply(undefined, copied.call(arguments));
    } catch (thrown) {
      throw failed(thrown);
    }
  };
}

// A freed object has a null pointer; freeing it again does nothing. If the caller frees an object, everything that it holds is
// released at once. If the garbage collector does (`found` is 1), objects that it has handed out may still be read.
const releasing = (release, setFreeing = () => {}) => (pointer, found) => {
  if (pointer === 0) return;
  setFreeing(found === 1 ? 0 : 1);
  try {
    release(pointer, found);
  } finally {
    setFreeing(0);
  }
};

// ---- promises

/** Wraps `fn`: if it returns a promise that rejects, the error's stack begins at the call. */
function placing(fn) {
  return function placed(...args) {
    const result = fn.apply(this, args);
    if (!(result instanceof Promise) || isResolved(result)) return result;
    const place = calledFrom(placed);
    return result.catch((thrown) => {
      if (ContextError.isInstance(thrown)) placeAt(thrown, place);
      throw thrown;
    });
  };
}

/** Wraps a function that always returns a promise: instead of throwing, it returns a rejected promise. */
export function promising(fn) {
  const placed = placing(fn);
  return function (...args) {
    try {
      return placed.apply(this, args);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  };
}

/** Names of the methods that always return a promise. */
const PROMISING = new Set([
  "prepare",
  "recover",
  "compact",
  "checkAndCompact",
  "afterModelCall",
  "afterToolExecution",
  "beforeFinalAnswer",
  "read",
  "grep",
  "searchAsync",
  "get",
  "save",
  "load",
  "flush",
  "refresh",
]);

/** Wraps these methods of the generated classes with `promising`, in place, and gives the classes their names. */
export function promiseMethods(glue) {
  for (const [name, exported] of Object.entries(glue)) {
    if (typeof exported !== "function" || !exported.prototype?.free) continue;
    nameClass(exported, name);
    for (const home of [exported, exported.prototype]) {
      for (const key of Reflect.ownKeys(home)) {
        const property = Object.getOwnPropertyDescriptor(home, key);
        if (PROMISING.has(key) && typeof property.value === "function" && property.writable) home[key] = promising(property.value); // keeps the property's other attributes
      }
    }
  }
}

// ---- the meaning of the bindings' names and errors

const isRelease = (name) => /^__wbg_\w+_free$/.test(name);
// Clean-up for the garbage collector. It can be skipped, and nobody could catch its errors.
const isCleanUp = (name) => isRelease(name) || /^__wbindgen_(free|destroy_closure)/.test(name);

function refusing(error) {
  return new Proxy(Object.create(null), {
    get(_, name) {
      if (typeof name === "string" && isCleanUp(name)) return () => undefined;
      throw error();
    },
  });
}

/** A module with this much memory traps because it gets no more: it asks for a long text's size several times. */
const FULL = 2 ** 30;

const isTrap = (thrown) => thrown instanceof WebAssembly.RuntimeError || isOutOfStack(thrown);

/** Whether the stack ran out inside the module: V8 and JavaScriptCore, then SpiderMonkey. */
const isOutOfStack = (thrown) => (thrown instanceof RangeError && /call stack/i.test(thrown.message)) || thrown?.name === "InternalError";

/** `used`: the size of the module's memory, which can have 4 GiB. */
function internal(cause, used = 0) {
  const full = `the module crashed, probably because its memory is full (it has ${Math.round(used / 1e6)} of at most 4295 MB): free sessions that are no longer needed (\`free()\`), and push smaller texts.`;
  const what = cause instanceof WholeMissing ? cause.message : used > FULL && !isOutOfStack(cause) ? full : "this is a bug in contextfold, please report it.";
  const more = "Its memory can no longer be trusted: load the module again (restart the process, or reload the page)";
  return new ContextError("INTERNAL", `${what} ${more}`, { cause });
}

function translated(thrown) {
  if (!(thrown instanceof Error) || ContextError.isInstance(thrown)) return thrown;
  if (thrown.message === "null pointer passed to rust")
    return new ContextError("FREED", "this object was freed (`free()` or `using`): create a new one");
  if (thrown.message.startsWith("attempted to take ownership"))
    return new ContextError("INVALID_ARGUMENT", "an object cannot be freed while one of its own methods runs (a listener or a tokenizer was called)", { cause: thrown });
  if (/^recursive use of an object/.test(thrown.message))
    return new ContextError("INTERNAL", `this is a bug in contextfold, please report it: ${thrown.message}`, { cause: thrown });
  return thrown;
}
