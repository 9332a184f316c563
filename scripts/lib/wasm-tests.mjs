/**
 * How cargo compiles the Rust tests that run as WebAssembly. They are few and short, so the engine is compiled for them without
 * optimisation. Whoever runs them again has to say the same, or cargo compiles the engine anew.
 */
export const WASM_TESTS = ["test", "--locked", "--target", "wasm32-unknown-unknown", "--config", "profile.test.package.contextfold.opt-level=0"];
