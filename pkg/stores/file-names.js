// Names of files for keys. They are the same on every file system, whatever it thinks of letters' case, of accents and of dots: only small
// letters, digits, `-` and `_` stand for themselves.

import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";

const PLAIN = /^[a-z0-9_-]$/;
const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/; // on Windows, these are devices
const LONGEST = 180;

/** The file's name. A name that is too long is cut, and ends with `~` and the key's hash: such a file contains its key. */
export function nameOf(key) {
  const name = [...Buffer.from(key)].map((byte) => (PLAIN.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : escaped(byte))).join("");
  if (RESERVED.test(name)) return escaped(name.charCodeAt(0)) + name.slice(1);
  return name.length > LONGEST ? `${name.slice(0, 100)}~${createHash("sha256").update(key).digest("hex")}` : name;
}

/** The key of a name; `null` if the name does not contain all of it. */
export function keyOf(name) {
  try {
    return name.includes("~") ? null : decodeURIComponent(name);
  } catch {
    return null;
  }
}

/** The names in a folder; none where it is not there. */
export async function namesIn(folder) {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

const escaped = (byte) => `%${byte.toString(16).padStart(2, "0")}`;
