// Whether pkg/wasm is what the sources give.

import { hashOf } from "./hash.mjs";
import { readNote, writeNote } from "./notes.mjs";

const INPUTS = ["src", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml", ".cargo/config.toml", "scripts/build.mjs", "scripts/lib/split.mjs", "scripts/lib/portable.mjs", "scripts/lib/session-run.mjs"];
const OUTPUTS = ["contextfold_bg.wasm", "contextfold_bg.js", "contextfold.d.ts", "contextfold.d.cts", "core.wasm", "tokenizer.wasm", "tokenizer-bpe.wasm"].map((name) => `pkg/wasm/${name}`);

// The outputs count, too: a `wasm-pack build` typed in between leaves a module that wasm-opt has not seen.
const state = () => `${hashOf(INPUTS)} ${hashOf(OUTPUTS)}`;

/** Neither sources nor output have changed since the last build. */
export const isBuilt = () => readNote("built") === state();

/** Remembers that the build is done. */
export const markBuilt = () => writeNote("built", state());
