/** What Node reads of the module's file on import, as pkg/split.js does. */
export function coreOf(bytes) {
  const [section] = WebAssembly.Module.customSections(new WebAssembly.Module(bytes), "parts");
  const { functions, code } = JSON.parse(Buffer.from(section).toString());
  return Buffer.concat([bytes.subarray(0, functions.others), bytes.subarray(functions.end, code.others), bytes.subarray(code.stubs)]);
}
