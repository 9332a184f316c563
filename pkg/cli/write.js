// Where a transcript or a report goes: a file, or standard output.

import { writeFileSync } from "node:fs";
import { usage } from "./failure.js";
import { print } from "./terminal.js";

/** Writes the transcript, and says how many bytes that took. */
export function write(path, { value, list }, command) {
  const lines = path.endsWith(".jsonl") && value === list;
  return writeText(path, lines ? list.map((item) => `${JSON.stringify(item)}\n`).join("") : `${JSON.stringify(value, null, 2)}\n`, command);
}

/** Writes a text, and says how many bytes that took. */
export function writeText(path, text, command) {
  if (path === "-") print(text);
  else {
    try {
      writeFileSync(path, text);
    } catch (error) {
      const why =
        { ENOENT: "no such folder", EISDIR: "it is a folder", EACCES: "permission denied", EROFS: "read-only" }[
          error.code
        ] ??
        error.code ??
        error.message;
      throw usage(`cannot write ${path}: ${why}`, command);
    }
  }
  return Buffer.byteLength(text);
}
