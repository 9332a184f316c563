// The room in a module's memory that texts and bytes are written into.

import { ContextError } from "./error.js";

const SMALLEST = 1 << 16;
/** A larger room is given back after use. */
const LARGEST = 1 << 22;
/** Up to this length a loop over the characters is quicker than the encoder. */
const SHORT = 40;

const encoder = new TextEncoder();

export class Room {
  #open;
  #memory;
  #at = 0;
  #size = 0;
  #view = new Uint8Array();

  /** `open(size)` says where in `memory()` so many bytes may be written; `open(0)` gives the room back. */
  constructor(open, memory) {
    this.#open = open;
    this.#memory = memory;
  }

  /** Room for `size` bytes; what was in it is gone. */
  of(size) {
    if (size > this.#size) {
      this.#size = Math.max(size, SMALLEST);
      this.#at = this.#open(this.#size) >>> 0;
      this.#view = new Uint8Array(this.#memory().buffer, this.#at, this.#size);
    } else if (this.#view.length === 0) {
      this.#view = new Uint8Array(this.#memory().buffer, this.#at, this.#size); // memory has grown, and the old view is detached
    }
    return this.#view;
  }

  /** Puts bytes into it; how many they are. */
  put(bytes) {
    this.of(bytes.length).set(bytes);
    return bytes.length;
  }

  /** Writes the text as UTF-8; its length in bytes. */
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

  /** The module has taken it. */
  taken() {
    this.#size = 0;
    this.#view = new Uint8Array();
  }

  giveBack() {
    if (this.#size <= LARGEST) return;
    this.#open(0);
    this.taken();
  }
}
