// V8 inlines the call of an export that returns an object, and has to deoptimize while the export runs. Run with
// --allow-natives-syntax; V8 11.3 ends the process if the call was inlined.
//
// (module (import "e" "f" (func $f)) (import "e" "x" (func $x (result externref)))
//   (func (export "ext") (result externref) (call $f) (call $x)))

const bytes = Buffer.from("AGFzbQEAAAABCAJgAAFvYAAAAg0CAWUBZgABAWUBeAAAAwIBAAcHAQNleHQAAgoIAQYAEAAQAQs=", "base64");

const native = (name) => new Function("f", `%${name}(f)`);

export default (guarded) => {
  const [deoptimize, prepare, optimize] = ["DeoptimizeFunction", "PrepareFunctionForOptimization", "OptimizeFunctionOnNextCall"].map(native);
  let undoes = false;
  const f = () => undoes && deoptimize(glue);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { e: { f, x: () => ({ a: 1 }) } });
  const wasm = guarded(exports, () => {});
  function glue() {
    return wasm.ext();
  }
  prepare(glue);
  prepare(wasm.ext);
  for (let n = 0; n < 50; n++) glue();
  optimize(glue);
  glue();
  undoes = true;
  return glue();
};
