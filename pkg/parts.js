// The memory, tables and stack pointer that the whole module imports if it runs without the core (scripts/lib/split.mjs).

/** Makes them as the module's section `parts` describes. A module straight from wasm-pack has its own, and imports none. */
export function wholeModuleImports(module) {
  const [section] = WebAssembly.Module.customSections(module, "parts");
  if (!section) return {};
  const { build, memory, tables, globals } = JSON.parse(new TextDecoder().decode(section));
  const parts = { memory: new WebAssembly.Memory(memory) };
  for (const [name, table] of Object.entries(tables)) parts[name] = new WebAssembly.Table(table);
  for (const [name, value] of Object.entries(globals)) parts[name] = new WebAssembly.Global({ value: "i32", mutable: true }, value);
  return { [build]: parts };
}
