// Counts tokens by a `tokenizer.json`. The WebAssembly module for it is loaded with the first tokenizer: first a small module, which
// supports most models and reports if a file needs the whole one. Each tokenizer has its own instance, so that its memory is freed
// with it.

import { bytesFrom, readsFiles } from "./encoding.js";
import { ContextError } from "./error.js";
import { unknownKeyIn } from "./nearest.js";
import { Room } from "./room.js";
import { knownTemplate, measuredTemplate, packedTemplate } from "./template.js";

/** The property by which a session recognises a tokenizer. It holds the counting function. */
const BRAND = Symbol.for("contextfold.tokenizer");

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// Written as literals, so that bundlers find the files.
const MODULES = {
  part: () => new URL("./wasm/tokenizer-bpe.wasm", import.meta.url),
  whole: () => new URL("./wasm/tokenizer.wasm", import.meta.url),
};
const compiled = {};

/** The compiled module from `source`, or our own module of this name. A failed attempt may be repeated. */
function moduleFrom(source, name) {
  if (source instanceof WebAssembly.Module) return source;
  if (source !== undefined) return compile(source);
  compiled[name] ??= compile(MODULES[name]()).catch((error) => {
    compiled[name] = undefined;
    throw error;
  });
  return compiled[name];
}

async function compile(source) {
  try {
    const bytes = isBytes(source) ? source : await bytesFrom(source);
    // If files are read synchronously, compile synchronously, too: awaiting would let other work run first.
    return readsFiles() ? new WebAssembly.Module(bytes) : await WebAssembly.compile(bytes);
  } catch (cause) {
    const why = `the tokenizer's module could not be read from ${isBytes(source) ? "these bytes" : source}: ${cause.message}. Serve it there, or pass \`tokenizer.wasm\` to \`loadTokenizer\` as \`module\``;
    throw new ContextError("NOT_INITIALIZED", why, { cause });
  }
}

const isBytes = (value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value);

const PACKS = ["template", "jinja", "module"];
const LOADS = ["name", "special", ...PACKS];

function assertOptions(options, known) {
  if (typeof options !== "object" || options === null) throw new ContextError("INVALID_ARGUMENT", "options: expected an object");
  const wrong = unknownKeyIn(options, known);
  if (wrong !== undefined) throw new ContextError("INVALID_ARGUMENT", wrong);
}

export async function loadTokenizer(source, options = {}) {
  assertOptions(options, LOADS);
  const { name = "tokenizer", special = "text", module } = options;
  if (typeof name !== "string" || name === "") throw new ContextError("INVALID_ARGUMENT", "`name`: expected a text");
  if (special !== "text" && special !== "token") throw new ContextError("INVALID_ARGUMENT", '`special`: expected "text" or "token"');
  const asText = special === "text" ? 1 : 0;
  const instance = await loaded(module, await fileOf(source), asText);
  // Packed or known figures are looked up only when they are needed.
  const template = options.template === undefined ? () => templateOf(instance, options, asText) : templateOf(instance, options, asText);
  return new Tokenizer(name, instance, template);
}

/** An instance that has read the file. */
async function loaded(module, bytes, asText) {
  if (module === undefined) {
    const part = new Instance(await moduleFrom(module, "part"));
    if (part.make("load", bytes, asText)) return part;
  }
  const instance = new Instance(await moduleFrom(module, "whole"));
  if (!instance.make("load", bytes, asText)) throw new ContextError("ENCODING_UNSUPPORTED", instance.text());
  return instance;
}

export async function packTokenizer(source, options = {}) {
  assertOptions(options, PACKS);
  const bytes = await fileOf(source);
  let note = new Uint8Array();
  if (options.template !== undefined) {
    const instance = await loaded(options.module, bytes, 0);
    note = encoder.encode(JSON.stringify(templateOf(instance, options, 0)));
  }
  const both = new Uint8Array(bytes.length + note.length);
  both.set(bytes);
  both.set(note, bytes.length);
  const instance = new Instance(await moduleFrom(options.module, "whole"));
  instance.make("pack", both, note.length);
  return instance.answer().slice();
}

/** The figures of the model's chat template: measured now, measured when the tokenizer was packed, or known for the family. */
function templateOf(instance, { template, jinja }, asText) {
  if (template === false) return undefined;
  if (template === undefined) {
    instance.call("note");
    return packedTemplate(instance.text()) ?? knownTemplate((token) => instance.call("is_added", instance.room.write(token)) === 1);
  }
  instance.call("special", 0);
  const measured = measuredTemplate(template, jinja, (text) => instance.call("count", instance.room.write(text)));
  instance.call("special", asText);
  return measured;
}

const bytesOf = (words) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);

/** The bytes of the file, which is given as bytes, text or object, or read from a path or URL. */
async function fileOf(source) {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (typeof source === "string" && /^\s*\{/.test(source)) return encoder.encode(source);
  if (typeof source === "string" || source instanceof URL) {
    const path = String(source);
    const where = path.endsWith("/") ? (source instanceof URL ? new URL("tokenizer.json", source) : `${path}tokenizer.json`) : source;
    try {
      return await bytesFrom(where);
    } catch (cause) {
      throw new ContextError("ENCODING_INVALID", `the tokenizer could not be read from ${where}: ${cause.message}`, { cause });
    }
  }
  if (typeof source === "object" && source !== null) {
    if ("tokenizer.json" in source) return fileOf(source["tokenizer.json"]);
    let text;
    try {
      text = JSON.stringify(source);
    } catch (cause) {
      throw new ContextError("INVALID_ARGUMENT", "source: the object cannot be written as JSON", { cause });
    }
    if (typeof text === "string") return encoder.encode(text);
  }
  throw new ContextError("INVALID_ARGUMENT", "source: expected a tokenizer.json as an object, a text, bytes or a URL, or the result of `packTokenizer`");
}

const CODES = { 1: "ENCODING_INVALID", 2: "ENCODING_UNSUPPORTED" };
/** An instance of the module, with the buffer in its memory that texts are written into. */
class Instance {
  #exports;
  #broken;

  constructor(module) {
    this.#exports = new WebAssembly.Instance(module, {}).exports;
    this.room = new Room((size) => this.call("room", size), () => this.#exports.memory);
  }

  /** Calls a function. A trap breaks only this instance. */
  call(name, ...args) {
    if (this.#broken) throw this.#broken;
    try {
      return this.#exports[name](...args);
    } catch (cause) {
      this.#broken = new ContextError("INTERNAL", `the tokenizer's module crashed (${cause.message}): load the tokenizer again`, { cause });
      throw this.#broken;
    }
  }

  /** Calls `load` or `pack` with a file's bytes. Returns false if the file needs the whole module, and this is the small one. */
  make(how, bytes, ...options) {
    const length = this.room.put(bytes);
    this.room.forgetBuffer();
    const outcome = this.call(how, length, ...options);
    if (outcome in CODES) throw new ContextError(CODES[outcome], this.text());
    return outcome === 0;
  }

  /** The result of the last call, valid until the next call. */
  answer() {
    const at = this.call("answer") >>> 0;
    return new Uint8Array(this.#exports.memory.buffer, at, this.call("answered") >>> 0);
  }

  text() {
    return decoder.decode(this.answer());
  }
}

class Tokenizer {
  #name;
  #instance;
  #template;

  constructor(name, instance, template) {
    this.#name = name;
    this.#template = template;
    this.#instance = instance;
    Object.defineProperty(this, BRAND, { value: (text) => this.count(text) });
  }

  get name() {
    return this.#name;
  }

  get template() {
    if (typeof this.#template === "function") this.#template = this.#template();
    return this.#template;
  }

  count(text) {
    const instance = this.#instance;
    const count = instance.call("count", instance.room.write(text));
    instance.room.giveBack();
    return count;
  }

  countUpTo(text, limit) {
    if (typeof limit !== "number" || !(limit >= 0)) throw new ContextError("INVALID_ARGUMENT", "`limit`: expected a number of at least 0");
    const instance = this.#instance;
    const count = instance.call("count_up_to", instance.room.write(text), limit);
    instance.room.giveBack();
    return count < 0 ? null : count;
  }

  encode(text) {
    const instance = this.#instance;
    instance.call("encode", instance.room.write(text));
    const tokens = new Uint32Array(instance.answer().slice().buffer);
    instance.room.giveBack();
    return tokens;
  }

  decode(tokens) {
    const instance = this.#instance;
    const wrong = instance.call("decode", instance.room.put(bytesOf(words(tokens))));
    if (wrong >= 0) throw new ContextError("INVALID_ARGUMENT", `${wrong} is not a token of ${this.#name}`);
    return instance.text();
  }
}

function words(tokens) {
  if (tokens instanceof Uint32Array) return tokens;
  if (Array.isArray(tokens) && tokens.every((token) => Number.isInteger(token) && token >= 0 && token <= 0xffff_ffff)) return Uint32Array.from(tokens);
  throw new ContextError("INVALID_ARGUMENT", "tokens: expected a list of whole numbers, as returned by `encode`");
}
