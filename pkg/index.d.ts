/// <reference lib="esnext.disposable" />

import type { EncodingName } from "./wasm/contextfold.js";

export * from "./wasm/contextfold.js";
export { ContextError } from "./error.js";

/**
 * Loads an exact encoding. Its vocabulary is a separate file, fetched only for exact counts. Loading one twice costs nothing; all
 * sessions of a page share it.
 *
 * @param source Its asset, as a URL or bytes (`import bytes from "contextfold/encodings/o200k_base"`); by default from beside
 * this package's own files.
 * @throws {ContextError} `ENCODING_INVALID` for an asset that cannot be fetched, is damaged, cut off, of another version
 * or of another encoding; `INVALID_ARGUMENT` for a name that is no encoding; `NOT_INITIALIZED` before `await init()`.
 */
export declare function loadEncoding(name: EncodingName, source?: string | URL | ArrayBuffer | Uint8Array): Promise<import("./wasm/contextfold.js").Encoding>;

/** What {@link loadTokenizer} returns: an exact counter, like an encoding. */
export type Tokenizer = import("./wasm/contextfold.js").Encoding & {
  /** What the model's chat template adds, if it is known. */
  readonly template?: ChatTemplate;
};

/** What a chat template adds to texts, in tokens. */
export interface ChatTemplate {
  /** Where the figures come from. */
  readonly source: string;
  /** Around a system message. */
  readonly system: number;
  /** Around a user message. */
  readonly user: number;
  /** Around an assistant message. */
  readonly assistant: number;
  /** Around a tool call's name and arguments. */
  readonly call: number;
  /** Around a tool output. */
  readonly output: number;
  /** Where there are tools. */
  readonly tools: number;
  /** Around each tool definition. */
  readonly tool: number;
}

/** What {@link loadTokenizer} reads. */
export type TokenizerSource = string | URL | ArrayBuffer | Uint8Array | object;

/** How {@link loadTokenizer} reads it. */
export interface TokenizerOptions {
  /** Its name in reports; `"tokenizer"` without one. */
  name?: string;
  /**
   * How the text of a special token (`<|im_end|>`) counts: as text (`"text"`, the default, right for what a user or a tool
   * wrote), or as that token (`"token"`, as `encode` of Hugging Face's tokenizers does).
   */
  special?: "text" | "token";
  /**
   * The model's `tokenizer_config.json` (its text, its bytes, or as it was parsed), or its chat template: what it adds to messages, calls and
   * tools is measured by rendering it with `jinja`. Without it, packed figures or the known ones of the family are used; `false`
   * for neither.
   */
  template?: string | object | false;
  /** The module that renders templates: `import * as jinja from "@huggingface/jinja"`. */
  jinja?: object;
  /**
   * Where the module `tokenizer.wasm` (or `tokenizer-bpe.wasm`, for BPE alone) comes from: its URL, its bytes, or compiled; by default
   * from beside this package's files.
   */
  module?: string | URL | ArrayBuffer | Uint8Array | object;
}

/**
 * Makes an exact counter of a Hugging Face `tokenizer.json`: token for token what the `tokenizers` library gives for a text. It
 * works in sessions, too: `new Session({ model, tokenizer })`. There, what the model's chat template adds counts, if it is known;
 * then `report.counter.exact` is true.
 *
 * @param source The file: its text, bytes or parsed JSON; its URL or path, or that of its folder (with `/` at its end); or the
 * result of `packTokenizer`.
 * @throws {ContextError} `ENCODING_INVALID` for a file or a template that cannot be read, is damaged, or contradicts itself;
 * `ENCODING_UNSUPPORTED` for one that needs a part that is not supported, which it names; `NOT_INITIALIZED` if the module
 * cannot be fetched.
 */
export declare function loadTokenizer(source: TokenizerSource, options?: TokenizerOptions): Promise<Tokenizer>;

/**
 * The fast-loading form of a `tokenizer.json`, for `loadTokenizer`: smaller, and loaded in a fraction of the
 * time. With `template` and `jinja`, what the chat template adds is measured and packed, too.
 *
 * @throws {ContextError} As `loadTokenizer`.
 */
export declare function packTokenizer(source: TokenizerSource, options?: Pick<TokenizerOptions, "module" | "template" | "jinja">): Promise<Uint8Array>;

/**
 * The presets as plain data: what the option `ladder` takes. Each read gives a new copy, to print or to change.
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
 * @throws {ContextError} `NOT_INITIALIZED` if it cannot be fetched. It may be called again.
 */
export declare function init(source?: InitSource | PromiseLike<InitSource>): Promise<void>;
export default init;
