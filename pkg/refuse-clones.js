// A session is not plain data: `structuredClone` and `postMessage` would silently turn it into an empty object. They throw an error
// that names the first value that they cannot clone, so we add a value whose name says what to do instead.

const WHY = Symbol("use session.snapshot() and Session.restore(bytes), or session.fork(id): a Session itself");

/** Gives each object of a class a value that cannot be cloned, and makes its address (`__wbg_ptr`) non-enumerable. */
export function refuseClones({ prototype }) {
  Object.defineProperty(prototype, "__wbg_ptr", {
    configurable: true,
    set(ptr) {
      Object.defineProperty(this, "__wbg_ptr", { value: ptr, writable: true, configurable: true, enumerable: false });
      Object.defineProperty(this, "unclonable", { value: WHY, configurable: true, enumerable: true });
    },
  });
}
