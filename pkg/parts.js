// What the module takes from outside where no core stands beside it (scripts/lib/split.mjs): memory, tables and the stack's place.

/** New ones, as the module says that it needs them; none for one that wasm-pack left as it is, which has its own. */
export function ownParts(module) {
  const [section] = WebAssembly.Module.customSections(module, "parts");
  if (!section) return {};
  const { build, memory, tables, globals } = JSON.parse(new TextDecoder().decode(section));
  const parts = { memory: new WebAssembly.Memory(memory) };
  for (const [name, table] of Object.entries(tables)) parts[name] = new WebAssembly.Table(table);
  for (const [name, value] of Object.entries(globals)) parts[name] = new WebAssembly.Global({ value: "i32", mutable: true }, value);
  return { [build]: parts };
}
