// Writes a transcript or a report to a file or to standard output.

import { writeFileSync } from "node:fs";
import { failedToWrite } from "./failure.js";
import { onWire, print } from "./terminal.js";

/** Writes the transcript and returns the number of bytes. */
export function write(path, { value, list }) {
  const lines = path.endsWith(".jsonl") && value === list;
  return writeText(path, lines ? list.map((item) => `${JSON.stringify(item, onWire)}\n`).join("") : `${JSON.stringify(value, onWire, 2)}\n`);
}

/** Writes a text and returns the number of bytes. */
export function writeText(path, text) {
  writeBytes(path, text);
  return Buffer.byteLength(text);
}

/** Writes bytes or a text. */
export function writeBytes(path, content) {
  if (path === "-") print(content);
  else {
    try {
      writeFileSync(path, content);
    } catch (error) {
      throw failedToWrite(path, error);
    }
  }
}
