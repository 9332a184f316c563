// The module in two files, as scripts/lib/split.mjs writes it: the second is instantiated when one of its functions is first called.

/** What only the two have to do with each other begins with this. */
export const OWN = "$";

/** The second is not there, or is another's: the call that needs it cannot go on, nor can what it has begun be undone, as behind a trap. */
export class RestMissing extends WebAssembly.RuntimeError {}

/** An instance of the first; `readRest` gives the bytes of the second, and `restAhead` promises its module, or nothing. */
export function instantiateSplit(core, imports, readRest, restAhead) {
  let rest; // compiled beside what the program does, so that its first fold neither waits for it nor finds the file gone
  restAhead.then((module) => (rest = module), () => {}); // why not is told when it is needed
  const { module: build } = WebAssembly.Module.imports(core).find(({ name }) => name === "loadRest"); // no other's rest fits
  const { exports } = new WebAssembly.Instance(core, { ...imports, [build]: { loadRest } });
  function loadRest() {
    try {
      new WebAssembly.Instance(rest ?? new WebAssembly.Module(readRest()), { ...imports, [build]: exports });
    } catch (cause) {
      throw new RestMissing(`contextfold's rest.wasm, which should lie beside its core.wasm, cannot be loaded (${cause}): were the package's files moved or replaced while the program runs, or left out of a bundle?`);
    }
    exports.$isWhole.value = 1;
    rest = undefined;
  }
  return { exports };
}
