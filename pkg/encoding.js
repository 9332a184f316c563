// Exact encodings: loads their assets, and passes text to the module.

import * as glue from "./wasm/contextfold_bg.js";
import { ContextError } from "./error.js";
import { memory } from "./load.js";
import { Room } from "./room.js";

/** The property by which the module recognises an encoding. It holds the encoding's handle. */
const BRAND = Symbol.for("contextfold.encoding");

// Written as literals, so that bundlers find the files.
const ASSETS = {
  o200k_base: () => new URL("./encodings/o200k_base.bin", import.meta.url),
  cl100k_base: () => new URL("./encodings/cl100k_base.bin", import.meta.url),
  p50k_base: () => new URL("./encodings/p50k_base.bin", import.meta.url),
};
/** Encodings that use the asset of another one, because they differ only in special tokens or are a prefix of it. */
const SAME_ASSET = { o200k_harmony: "o200k_base", p50k_edit: "p50k_base", r50k_base: "p50k_base", gpt2: "p50k_base" };

const room = new Room((size) => glue.encodingRoom(size), memory);
const loaded = new Map();
const loading = new Map();
let readFile;

/**
 * Sets the function that reads files in Node, Bun and Deno: `read(path, roomFor)` puts the file's bytes into the array that
 * `roomFor(size)` returns, and returns their number.
 */
export function readFilesWith(read) {
  readFile = read;
}

/** Whether files can be read here. */
export const readsFiles = () => readFile !== undefined;

/** Loads an encoding once. A failed attempt may be repeated. */
export function loadEncoding(name, source) {
  const there = loaded.get(name);
  if (there) return Promise.resolve(there);
  const other = loading.get(name);
  // The other source may be damaged although this one is not.
  if (other) return other.source === source ? other.attempt : other.attempt.catch(() => loadEncoding(name, source));
  const attempt = load(name, source).finally(() => loading.delete(name));
  loading.set(name, { attempt, source });
  return attempt;
}

async function load(name, source) {
  // The glue would write it into the module's memory as if it were a text.
  if (typeof name !== "string")
    throw new ContextError("INVALID_ARGUMENT", 'expected the name of an encoding, such as "o200k_base", and then, if you have them, the bytes of its asset');
  if (glue.encodingLoaded(name) === undefined) {
    const length = await putAsset(name, source);
    room.forgetBuffer(); // the module frees it, whether it can use the asset or not
    glue.encodingLoad(name, length);
  }
  const encoding = new Encoding(name, glue.encodingLoaded(name));
  loaded.set(name, encoding);
  return encoding;
}

const unknown = (name) =>
  new ContextError("INVALID_ARGUMENT", `\`${name}\` is not a known encoding; known encodings are ${[...Object.keys(ASSETS), ...Object.keys(SAME_ASSET)].join(", ")}; \`encodingForModel(model)\` returns a model's encoding`);

/** Puts the asset's bytes into the module's memory and returns their number. A file is read directly into it, without another copy. */
async function putAsset(name, source) {
  if (source instanceof ArrayBuffer) return room.put(new Uint8Array(source));
  if (ArrayBuffer.isView(source)) return room.put(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
  const asset = ASSETS[SAME_ASSET[name] ?? name];
  if (source === undefined && !asset) throw unknown(name);
  if (source !== undefined && typeof source !== "string" && !(source instanceof URL))
    throw new ContextError("INVALID_ARGUMENT", "source: expected a URL, or the bytes of the encoding's asset");
  let where = source;
  try {
    where ??= asset();
    if (readFile && isFile(where)) return readFile(where, (size) => room.of(size).subarray(0, size));
    const response = await fetch(where);
    if (response.ok) return room.put(new Uint8Array(await response.arrayBuffer()));
    throw new Error(`the server answers ${response.status}`);
  } catch (cause) {
    throw new ContextError(
      "ENCODING_INVALID",
      `the asset of ${name} could not be read from ${where ?? "beside this package"}: ${cause.message}. Serve it there, or pass its URL or bytes to \`loadEncoding\``,
      { cause },
    );
  }
}

/** The bytes of a file, or of a server's response. */
export async function bytesFrom(where) {
  if (readFile && isFile(where)) {
    let bytes = new Uint8Array();
    const length = readFile(where, (size) => (bytes = new Uint8Array(size)));
    return bytes.subarray(0, length);
  }
  const response = await fetch(where);
  if (response.ok) return new Uint8Array(await response.arrayBuffer());
  throw new Error(`the server answers ${response.status}`);
}

const isFile = (where) => (where instanceof URL ? where.protocol === "file:" : !/^(https?|data|blob):/.test(where));

const gone = () => new ContextError("FREED", "this encoding belongs to a module that was unloaded; load it again");

class Encoding {
  #name;
  #handle;

  constructor(name, handle) {
    this.#name = name;
    this.#handle = handle;
    Object.defineProperty(this, BRAND, { value: handle });
  }

  get name() {
    return this.#name;
  }

  count(text) {
    const count = glue.encodingCount(this.#handle, room.write(text));
    room.giveBack();
    if (count < 0) throw gone();
    return count;
  }

  countUpTo(text, limit) {
    if (typeof limit !== "number" || !(limit >= 0)) throw new ContextError("INVALID_ARGUMENT", "`limit`: expected a number of at least 0");
    const count = glue.encodingCountUpTo(this.#handle, room.write(text), limit);
    room.giveBack();
    if (count < -1) throw gone();
    return count < 0 ? null : count;
  }

  encode(text) {
    const tokens = glue.encodingEncode(this.#handle, room.write(text));
    room.giveBack();
    return tokens;
  }

  decode(tokens) {
    if (tokens instanceof Uint32Array) return glue.encodingDecode(this.#handle, tokens);
    if (isTokens(tokens)) return glue.encodingDecode(this.#handle, Uint32Array.from(tokens));
    throw new ContextError("INVALID_ARGUMENT", "tokens: expected a list of whole numbers, as returned by `encode`");
  }
}

function isTokens(value) {
  return Array.isArray(value) && value.every((token) => Number.isInteger(token) && token >= 0 && token <= 0xffff_ffff);
}

// `instanceof` throws for a revoked proxy, which is not an encoding.
function isEncoding(value) {
  try {
    return value instanceof Encoding;
  } catch {
    return false;
  }
}

/** If a text is counted with an encoding, calls the encoding directly; everything else goes through the glue. */
export function countTokens(input, tokenizer) {
  if (typeof input === "string" && typeof tokenizer === "object" && isEncoding(tokenizer)) return tokenizer.count(input);
  return glue.countTokens(input, tokenizer);
}
