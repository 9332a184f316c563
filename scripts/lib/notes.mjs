// Small notes about finished work, so that the next run can skip it.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { notesDir } from "./paths.mjs";

/** The note with this name, or null. */
export function readNote(name) {
  try {
    return readFileSync(join(notesDir, name), "utf8");
  } catch {
    return null;
  }
}

/** Writes a note. */
export function writeNote(name, text) {
  mkdirSync(notesDir, { recursive: true });
  writeFileSync(join(notesDir, name), text);
}
