// The memory, tables and stack pointer that the module imports (scripts/lib/split.mjs).

/** Prefix of the exports that only this package's loader uses. */
export const INTERNAL_PREFIX = "$";

/** What a module imports beside the glue. A module straight from wasm-pack has its own memory, and imports nothing else. */
export function partsOf(module) {
  const [section] = WebAssembly.Module.customSections(module, "parts");
  return section ? madeParts(JSON.parse(new TextDecoder().decode(section)), () => {}) : {};
}

/** Makes them as the module's section `parts` describes. `loadWhole` is called by a core that needs the whole module. */
export function madeParts({ build, memory, tables, globals }, loadWhole) {
  const parts = { loadWhole, memory: new WebAssembly.Memory(memory) };
  for (const [name, table] of Object.entries(tables)) parts[name] = new WebAssembly.Table(table);
  for (const [name, value] of Object.entries(globals)) parts[name] = new WebAssembly.Global({ value: "i32", mutable: true }, value);
  return { [build]: parts };
}
