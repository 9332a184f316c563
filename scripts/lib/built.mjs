// Whether pkg/wasm is up to date with the sources.

import { hashOf } from "./hash.mjs";
import { readNote, writeNote } from "./notes.mjs";

const INPUTS = ["src", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml", ".cargo/config.toml", "scripts/build.mjs", "scripts/lib/split.mjs", "scripts/lib/order.mjs", "scripts/lib/portable.mjs", "scripts/lib/session-run.mjs"];
const OUTPUTS = ["contextfold_bg.wasm", "contextfold_bg.js", "contextfold.d.ts", "contextfold.d.cts", "tokenizer.wasm", "tokenizer-bpe.wasm"].map((name) => `pkg/wasm/${name}`);

// The outputs count, too: a `wasm-pack build` by hand leaves a module that wasm-opt has not processed.
const state = (sources) => `${sources} ${hashOf(OUTPUTS)}`;

/** A hash of the sources. A build takes it at its beginning, so that an edit made meanwhile is built next time. */
export const hashOfSources = () => hashOf(INPUTS);

/** True if neither sources nor outputs have changed since the last build. */
export const isBuilt = () => readNote("built") === state(hashOfSources());

/** Records that these sources are built. */
export const markBuilt = (sources) => writeNote("built", state(sources));
