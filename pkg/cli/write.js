// Writes a transcript or a report to a file or to standard output.

import { writeFileSync } from "node:fs";
import { failedToWrite, usage } from "./failure.js";
import { onWire, print } from "./terminal.js";

/** Errors that another path would solve. */
const WRONG_PLACE = {
  ENOENT: "no such folder",
  ENOTDIR: "part of the path is not a folder",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "read-only",
  ENAMETOOLONG: "the name is too long",
};
/** Writes the transcript and returns the number of bytes. */
export function write(path, { value, list }, command) {
  const lines = path.endsWith(".jsonl") && value === list;
  return writeText(path, lines ? list.map((item) => `${JSON.stringify(item, onWire)}\n`).join("") : `${JSON.stringify(value, onWire, 2)}\n`, command);
}

/** Writes a text and returns the number of bytes. */
export function writeText(path, text, command) {
  writeBytes(path, text, command);
  return Buffer.byteLength(text);
}

/** Writes bytes or a text. */
export function writeBytes(path, content, command) {
  if (path === "-") print(content);
  else {
    try {
      writeFileSync(path, content);
    } catch (error) {
      const wrong = WRONG_PLACE[error.code];
      if (wrong) throw usage(`cannot write ${path}: ${wrong}`, command);
      throw failedToWrite(path, error);
    }
  }
}
