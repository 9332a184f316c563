// The core of the module, and beside it the whole, as scripts/lib/split.mjs writes them: the whole is instantiated when a function that is
// only there is first called.

/** Names that only core and whole use between each other begin with this. */
export const OWN = "$";

/** The whole module is missing, or is of another build. As after a trap, the call that needs it can neither go on nor be undone. */
export class WholeMissing extends WebAssembly.RuntimeError {}

/** An instance of the core. `readWhole` returns the bytes of the whole module; `wholeAhead` is a promise of the compiled module, or of nothing. */
export function instantiateSplit(core, imports, readWhole, wholeAhead) {
  let whole; // compiled beside what the program does, so that its first fold neither waits for it nor finds the file gone
  wholeAhead.then((module) => (whole = module), () => {}); // why not is told when it is needed
  const { module: build } = WebAssembly.Module.imports(core).find(({ name }) => name === "loadWhole"); // no other's fits
  const { exports } = new WebAssembly.Instance(core, { ...imports, [build]: { loadWhole } });
  function loadWhole() {
    try {
      whole ??= new WebAssembly.Module(readWhole());
      if (!WebAssembly.Module.imports(whole).some(({ module }) => module === build)) throw new Error("it is another build's");
      new WebAssembly.Instance(whole, { ...imports, [build]: exports });
    } catch (cause) {
      throw new WholeMissing(`contextfold's contextfold_bg.wasm, which should lie beside its core.wasm, cannot be loaded (${cause}): were the package's files moved or replaced while the program runs, or left out of a bundle?`);
    }
    exports.$isWhole.value = 1;
    whole = undefined;
  }
  return { exports };
}
