// Stands between the generated glue and the module, so that no raw trap and no raw binding error reaches a caller.
//
// The glue reads every function off one object, its `wasm`. That object is ours: before the module is there it
// refuses with NOT_INITIALIZED; while it runs it turns a trap into INTERNAL; after a trap, when memory can no
// longer be trusted, it refuses everything with INTERNAL.

import { ContextError } from "./error.js";
import { isResolved } from "./made.js";
import { OWN, WholeMissing } from "./split.js";
import { calledFrom, placeAt } from "./stack.js";

/** The glue's `wasm` before the module is loaded. */
export const unloaded = refusing(
  () => new ContextError("NOT_INITIALIZED", "contextfold is not loaded yet: call `await init()` first"),
);

/** The glue's `wasm` for these exports; `onTrap` is told what stands in for them once the module is broken. */
export function guarded(exports, onTrap) {
  const out = Object.create(null);
  let broken; // the error of the first trap
  const failed = (thrown) => {
    if (!isTrap(thrown)) return translated(thrown);
    if (!broken) {
      broken = internal(thrown);
      onTrap(refusing(() => internal(thrown)));
      rejectPending(broken);
    }
    return broken;
  };
  for (const [name, value] of Object.entries(exports)) {
    if (name.startsWith(OWN)) continue;
    if (typeof value !== "function") out[name] = value;
    else if (isRelease(name)) out[name] = releasing(calling(value, failed), exports.setFreeing);
    else if (isClosure(name)) out[name] = callingLater(value, failed);
    else out[name] = calling(value, failed);
  }
  return out;
}

// Every crossing into the module goes through here, with a copy of its arguments. V8 would inline a call that it knows the
// arguments of; and V8 11.3 (Node 20) ends the process where it has to undo that while a function of the module runs that
// returns an object. A copy costs some 50 ns.
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

// A closure is mostly entered from the microtask queue, where nobody could catch what it throws: there the
// promises that wait for it tell of the trap instead.
function callingLater(fn, failed) {
  return function () {
    const waiting = pending.size > 0;
    try {
      return fn.apply(undefined, copied.call(arguments));
    } catch (thrown) {
      const error = failed(thrown);
      if (waiting && isTrap(thrown)) return undefined;
      throw error;
    }
  };
}

// A freed object has no pointer any more; freeing it again does nothing. If the caller frees it, everything that it holds is
// released at once. If the garbage collector finds it (`found` is 1), something that it gave away may still be read.
const releasing = (release, setFreeing = () => {}) => (pointer, found) => {
  if (pointer === 0) return;
  setFreeing(found === 1 ? 0 : 1);
  try {
    release(pointer, found);
  } finally {
    setFreeing(0);
  }
};

// ---- promises that would never settle after a trap

const pending = new Set();

function rejectPending(error) {
  for (const reject of pending) reject(error);
  pending.clear();
}

function tracked(promise, place) {
  return new Promise((resolve, reject) => {
    pending.add(reject);
    const done = (settle) => (value) => {
      pending.delete(reject);
      settle(value);
    };
    const failed = done(reject);
    promise.then(done(resolve), (thrown) => {
      if (ContextError.isInstance(thrown)) placeAt(thrown, place);
      failed(thrown);
    });
  });
}

/** `fn`, whose promise (if it returns one) rejects with INTERNAL when the module breaks under it. */
export function settling(fn) {
  return function settled(...args) {
    const result = fn.apply(this, args);
    if (!(result instanceof Promise) || isResolved(result)) return result;
    return tracked(result, calledFrom(settled));
  };
}

/** The same for what always returns a promise: nothing is thrown, the promise rejects. */
export function promising(fn) {
  const settled = settling(fn);
  return function (...args) {
    try {
      return settled.apply(this, args);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  };
}

/** The methods that always return a promise. */
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
]);

/** Makes every method of the generated classes `settling`, in place. */
export function settleMethods(glue) {
  for (const exported of Object.values(glue)) {
    if (typeof exported !== "function" || !exported.prototype?.free) continue;
    for (const home of [exported, exported.prototype]) {
      for (const key of Reflect.ownKeys(home)) {
        const property = Object.getOwnPropertyDescriptor(home, key);
        if (typeof property.value !== "function" || !property.writable || isInternal(key)) continue;
        const watched = PROMISING.has(key) ? promising : settling;
        home[key] = watched(property.value); // keeps what else the property is
      }
    }
  }
}

// ---- what the names and errors of the bindings mean

const isInternal = (key) => key === "constructor" || (typeof key === "string" && key.startsWith("__"));
const isRelease = (name) => /^__wbg_\w+_free$/.test(name);
const isClosure = (name) => /closure/.test(name);
// Clean-up for the garbage collector: it can be skipped, and nobody could catch an error.
const isCleanUp = (name) => isRelease(name) || /^__wbindgen_(free|destroy_closure)/.test(name);

function refusing(error) {
  return new Proxy(Object.create(null), {
    get(_, name) {
      if (typeof name === "string" && isCleanUp(name)) return () => undefined;
      throw error();
    },
  });
}

function isTrap(thrown) {
  return (
    thrown instanceof WebAssembly.RuntimeError ||
    // The stack ran out inside the module: V8 and JavaScriptCore, then SpiderMonkey.
    (thrown instanceof RangeError && /call stack/i.test(thrown.message)) ||
    thrown?.name === "InternalError"
  );
}

function internal(cause) {
  const what = cause instanceof WholeMissing ? cause.message : "this is a bug in contextfold, please report it.";
  const more = "Its memory can no longer be trusted: load the module anew (restart the process, or reload the page)";
  return new ContextError("INTERNAL", `${what} ${more}`, { cause });
}

function translated(thrown) {
  if (!(thrown instanceof Error) || ContextError.isInstance(thrown)) return thrown;
  if (thrown.message === "null pointer passed to rust")
    return new ContextError("FREED", "this object was freed (`free()` or `using`): make a new one");
  if (thrown.message.startsWith("attempted to take ownership"))
    return new ContextError("INVALID_ARGUMENT", "an object cannot be freed while one of its own methods runs (a listener or a tokenizer was called)", { cause: thrown });
  if (/^recursive use of an object/.test(thrown.message))
    return new ContextError("INTERNAL", `this is a bug in contextfold, please report it: ${thrown.message}`, { cause: thrown });
  return thrown;
}
