// Writes a transcript or a report to a file or to standard output.

import { randomUUID } from "node:crypto";
import { accessSync, chmodSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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
      writeFile(path, content);
    } catch (error) {
      throw failedToWrite(path, error);
    }
  }
}

/** Writes a file. An existing one stays as it is until the new one is complete, because it may be the input, and the disk may be full. */
function writeFile(path, content) {
  const there = statSync(path, { throwIfNoEntry: false });
  if (!there?.isFile()) return writeFileSync(path, content);
  accessSync(path, constants.W_OK);
  const file = realpathSync(path);
  const next = join(dirname(file), `.contextfold-${randomUUID()}`);
  try {
    writeFileSync(next, content, { flag: "wx", mode: 0o600 });
    chmodSync(next, there.mode);
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    if (!["EACCES", "EPERM", "EXDEV", "EBUSY"].includes(error.code)) throw error;
    writeFileSync(path, content); // the folder takes no new file, or the file is mounted by itself
  }
}
