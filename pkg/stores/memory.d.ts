import type { Store } from "../wasm/contextfold.js";

/** A store that is gone with the process: for tests, and for sessions that share one. */
export declare function memoryStore(): Required<Store>;
