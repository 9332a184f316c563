/// <reference lib="esnext.disposable" />

import type { EncodingName } from "./wasm/contextfold.js";

export * from "./wasm/contextfold.js";
export { ContextError } from "./error.js";

/**
 * Loads an exact encoding. Its vocabulary is a separate file, fetched only if you want exact counts. Loading an encoding again
 * costs nothing; all sessions of a page share it.
 *
 * @param source The encoding's asset, as a URL or bytes (`import bytes from "contextfold/encodings/o200k_base"`). Default: the
 * file next to this package's own files.
 * @throws {ContextError} `ENCODING_INVALID` if the asset cannot be fetched, is damaged or truncated, or belongs to another version
 * or another encoding; `INVALID_ARGUMENT` if there is no encoding of that name; `NOT_INITIALIZED` before `await init()`.
 */
export declare function loadEncoding(name: EncodingName, source?: string | URL | ArrayBuffer | Uint8Array): Promise<import("./wasm/contextfold.js").Encoding>;

/** What {@link loadTokenizer} returns: an exact counter, like an encoding. */
export type Tokenizer = import("./wasm/contextfold.js").Encoding & {
  /** The tokens that the model's chat template adds, if known. */
  readonly template?: ChatTemplate;
};

/** How many tokens a chat template adds around texts. */
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
  /** Once, if there are tools. */
  readonly tools: number;
  /** Around each tool definition. */
  readonly tool: number;
}

/** Where {@link loadTokenizer} reads a tokenizer from. */
export type TokenizerSource = string | URL | ArrayBuffer | Uint8Array | object;

/** Options of {@link loadTokenizer}. */
export interface TokenizerOptions {
  /** The tokenizer's name in reports. Default `"tokenizer"`. */
  name?: string | undefined;
  /**
   * How the text of a special token (`<|im_end|>`) is counted: `"text"` (default) counts it as ordinary text, which is right for
   * text from a user or a tool; `"token"` counts it as that token, as `encode` of Hugging Face's tokenizers does.
   */
  special?: "text" | "token" | undefined;
  /**
   * The model's `tokenizer_config.json` (as text, bytes or a parsed object), or its chat template. The tokens that the template
   * adds to messages, calls and tools are measured by rendering it with `jinja`. If left out, the figures packed into the file are
   * used, or the known figures of the model's family. `false`: none of these.
   */
  template?: string | object | false | undefined;
  /** The module that renders templates: `import * as jinja from "@huggingface/jinja"`. */
  jinja?: object | undefined;
  /**
   * Where to load `tokenizer.wasm` from (or `tokenizer-bpe.wasm`, which supports only BPE): a URL, bytes or a compiled module.
   * Default: the file next to this package's own files.
   */
  module?: string | URL | ArrayBuffer | Uint8Array | object | undefined;
}

/**
 * Makes an exact counter from a Hugging Face `tokenizer.json`. Its tokens are exactly those of the `tokenizers` library. Use it in
 * a session with `new Session({ model, tokenizer })`: the session also counts what the model's chat template adds, if known;
 * then `report.counter.exact` is true.
 *
 * @param source The file: its text, bytes or parsed JSON; its URL or path; the URL or path of its folder, ending with `/`; or the
 * result of `packTokenizer`.
 * @throws {ContextError} `INVALID_ARGUMENT` for a wrong source or option;
 * `ENCODING_INVALID` if the file or the template cannot be read, is damaged or inconsistent;
 * `ENCODING_UNSUPPORTED` if it needs a component that is not supported (the message names it); `NOT_INITIALIZED` if the module
 * cannot be fetched.
 */
export declare function loadTokenizer(source: TokenizerSource, options?: TokenizerOptions): Promise<Tokenizer>;

/**
 * Packs a `tokenizer.json` for `loadTokenizer`: the result is smaller and loads in a fraction of the time. With `template` and
 * `jinja`, the tokens that the chat template adds are measured and packed, too.
 *
 * @throws {ContextError} As `loadTokenizer`.
 */
export declare function packTokenizer(source: TokenizerSource, options?: Pick<TokenizerOptions, "module" | "template" | "jinja">): Promise<Uint8Array>;

/**
 * The presets as plain data, as the option `ladder` takes them. Each access returns a new copy, which you may change.
 *
 * ```js
 * import { Session, presets } from "contextfold";
 *
 * const ladder = presets.spec;
 * ladder.unshift({ pass: "dedupe_reads" });
 * const session = new Session({ contextWindow: 128_000, ladder });
 * ```
 *
 * @throws {ContextError} `NOT_INITIALIZED` if one is read before `await init()`.
 */
export declare const presets: { readonly [name in import("./wasm/contextfold.js").PresetName]: import("./wasm/contextfold.js").Pass[] };

/** Where the WebAssembly module comes from: its URL, a request or response for it, its bytes, or a compiled module. */
export type InitSource =
  | (string | URL | Request | Response | ArrayBuffer | ArrayBufferView)
  | (typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : never); // only if the project's types declare it

/**
 * Loads the WebAssembly module. In browsers, call it once before you use anything else, which throws `NOT_INITIALIZED` until then.
 * In Node, Bun, Deno and Workers the module is loaded on import, and this does nothing.
 *
 * @param source Where to load the module from. Default: the file next to this package's own files.
 * @throws {ContextError} `NOT_INITIALIZED` if it cannot be fetched. You may then call it again.
 */
export declare function init(source?: InitSource | PromiseLike<InitSource>): Promise<void>;
export default init;
