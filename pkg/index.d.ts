/// <reference lib="esnext.disposable" />

import type { EncodingName } from "./wasm/contextfold.js";

export * from "./wasm/contextfold.js";
export { ContextError } from "./error.js";

/**
 * Loads an exact encoding: its vocabulary is a file of its own, so that only who counts exactly fetches it. Loading one
 * twice costs nothing; all sessions of a page share it.
 *
 * @param source Its asset: a URL, its bytes (`import bytes from "contextfold/encodings/o200k_base"`); without it, from
 * beside this package's own files.
 * @throws {ContextError} `ENCODING_INVALID` for an asset that cannot be fetched, is damaged, cut off, of another version
 * or of another encoding; `INVALID_ARGUMENT` for a name that is no encoding; `NOT_INITIALIZED` before `await init()`.
 */
export declare function loadEncoding(name: EncodingName, source?: string | URL | ArrayBuffer | Uint8Array): Promise<import("./wasm/contextfold.js").Encoding>;

/**
 * The presets as plain data: what the option `ladder` takes. Each reading gives a copy of its own, to print or to change.
 *
 * ```js
 * import { Session, presets } from "contextfold";
 *
 * const ladder = presets.spec;
 * ladder.unshift({ pass: "dedupe_reads" });
 * const session = new Session({ contextWindow: 128_000, ladder });
 * ```
 *
 * @throws {ContextError} `NOT_INITIALIZED` on reading one before `await init()`.
 */
export declare const presets: { readonly [name in import("./wasm/contextfold.js").PresetName]: import("./wasm/contextfold.js").Pass[] };

/** Where the WebAssembly module comes from: its URL, a request or response for it, its bytes, or a compiled module. */
export type InitSource =
  | (string | URL | Request | Response | ArrayBuffer | ArrayBufferView)
  | (typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : never); // where the project's types have it

/**
 * Loads the WebAssembly module. Needed once, in browsers: a use before it throws `NOT_INITIALIZED`.
 * In Node, Bun, Deno and Workers the module is there on import, and this does nothing.
 *
 * @param source Where the module comes from; without it, from beside this package's own files.
 * @throws {ContextError} `NOT_INITIALIZED` where it cannot be fetched. It may be called again.
 */
export declare function init(source?: InitSource | PromiseLike<InitSource>): Promise<void>;
export default init;
