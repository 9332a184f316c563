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

/** What {@link loadTokenizer} gives: an exact counter, as an encoding is. */
export type Tokenizer = import("./wasm/contextfold.js").Encoding & {
  /** What the model's chat template adds, where it is known. */
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
   * What the text of a special token (`<|im_end|>`) is: the text that it is (`"text"`, the default, as it should be where a
   * user or a tool wrote it), or that token (`"token"`, as `encode` of Hugging Face's tokenizers has it).
   */
  special?: "text" | "token";
  /**
   * The model's `tokenizer_config.json` (its text, or as it was parsed), or its chat template: what it adds to messages, calls and
   * tools is measured by rendering it with `jinja`. Without it, what was packed, or what is known of the family; `false` for neither.
   */
  template?: string | object | false;
  /** The module that renders templates: `import * as jinja from "@huggingface/jinja"`. */
  jinja?: object;
  /**
   * Where the module `tokenizer.wasm` (or `tokenizer-bpe.wasm`, for BPE alone) comes from: its URL, its bytes, or as it was compiled;
   * without it, from beside this package's files.
   */
  module?: string | URL | ArrayBuffer | Uint8Array | object;
}

/**
 * Makes an exact counter of a Hugging Face `tokenizer.json`: token for token what the `tokenizers` library gives for a text. It
 * counts in sessions, too: `new Session({ model, tokenizer })`. There what the model's chat template adds counts, too, where it is
 * known: then `report.counter.exact` is true.
 *
 * @param source The file: its text, bytes, or as it was parsed; its URL or path, or that of the folder that it is in (with `/` at its
 * end); or what `packTokenizer` gave.
 * @throws {ContextError} `ENCODING_INVALID` for a file or a template that cannot be read, is damaged, or contradicts itself;
 * `ENCODING_UNSUPPORTED` for one that needs what is not known here, by its name; `NOT_INITIALIZED` where the module cannot be fetched.
 */
export declare function loadTokenizer(source: TokenizerSource, options?: TokenizerOptions): Promise<Tokenizer>;

/**
 * The fast-loading form of a `tokenizer.json`, for `loadTokenizer`: smaller, and there in a fraction of the time. With `template` and
 * `jinja`, what the chat template adds is measured and packed, too.
 *
 * @throws {ContextError} As `loadTokenizer`.
 */
export declare function packTokenizer(source: TokenizerSource, options?: Pick<TokenizerOptions, "module" | "template" | "jinja">): Promise<Uint8Array>;

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
