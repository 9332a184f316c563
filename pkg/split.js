// Loads the module in two parts, as scripts/lib/split.mjs writes them: first a small core; then the whole module, when a function
// that the core lacks is first called.

/** Prefix of the exports that core and whole module use only between themselves. */
export const INTERNAL_PREFIX = "$";

/** The whole module is missing or of another build. Like a trap: the call that needs it can neither continue nor be undone. */
export class WholeMissing extends WebAssembly.RuntimeError {}

/**
 * Instantiates the core. `readWhole` returns the bytes of the whole module. `wholeAhead` is a promise of the compiled whole module,
 * or of `undefined`.
 */
export function instantiateSplit(core, imports, readWhole, wholeAhead) {
  let whole; // compiled in the background, so that the first fold does not wait for it, and works even if the file is gone by then
  wholeAhead.then((module) => (whole = module), () => {}); // an error is reported when the module is needed
  const { module: build } = WebAssembly.Module.imports(core).find(({ name }) => name === "loadWhole"); // core and whole must be of one build
  const { exports } = new WebAssembly.Instance(core, { ...imports, [build]: { loadWhole } });
  function loadWhole() {
    try {
      whole ??= new WebAssembly.Module(readWhole());
      if (!WebAssembly.Module.imports(whole).some(({ module }) => module === build)) throw new Error("it belongs to another build");
      new WebAssembly.Instance(whole, { ...imports, [build]: exports });
    } catch (cause) {
      throw new WholeMissing(`contextfold's contextfold_bg.wasm, which must be next to its core.wasm, cannot be loaded (${cause}): were the package's files moved or replaced while the program was running, or left out of a bundle?`);
    }
    exports.$isWhole.value = 1;
    whole = undefined;
  }
  return { exports };
}
