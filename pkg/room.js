// A buffer in a module's memory into which texts and bytes are written.

import { ContextError } from "./error.js";

const SMALLEST = 1 << 16;
/** A larger buffer is freed after use. */
const LARGEST = 1 << 22;
/** Up to this length, a loop over the characters is faster than the encoder. */
const SHORT = 40;

const encoder = new TextEncoder();

export class Room {
  #open;
  #memory;
  #at = 0;
  #size = 0;
  #view = new Uint8Array();

  /** `open(size)` allocates that many bytes and returns their address in `memory()`; `open(0)` frees the buffer. */
  constructor(open, memory) {
    this.#open = open;
    this.#memory = memory;
  }

  /** Returns a buffer of at least `size` bytes. Its previous content is lost. */
  of(size) {
    if (size > this.#size) {
      this.#size = Math.max(size, SMALLEST);
      this.#at = this.#open(this.#size) >>> 0;
      this.#view = new Uint8Array(this.#memory().buffer, this.#at, this.#size);
    } else if (this.#view.length === 0) {
      this.#view = new Uint8Array(this.#memory().buffer, this.#at, this.#size); // the old view is detached, because memory has grown
    }
    return this.#view;
  }

  /** Writes bytes and returns their number. */
  put(bytes) {
    this.of(bytes.length).set(bytes);
    return bytes.length;
  }

  /** Writes a text as UTF-8 and returns its length in bytes. */
  write(text) {
    if (typeof text !== "string") throw new ContextError("INVALID_ARGUMENT", "text: expected a string");
    const length = text.length;
    const view = this.of(length * 3);
    if (length <= SHORT) {
      let i = 0;
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code > 127) break;
        view[i] = code;
      }
      if (i === length) return length;
    }
    return encoder.encodeInto(text, view).written;
  }

  /** Forgets the buffer, because the module has taken it over. */
  forgetBuffer() {
    this.#size = 0;
    this.#view = new Uint8Array();
  }

  giveBack() {
    if (this.#size <= LARGEST) return;
    this.#open(0);
    this.forgetBuffer();
  }
}
