// File names for keys. They work on every file system, however it treats case, accents and dots, because everything but lowercase
// letters, digits, `-` and `_` is escaped.

import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";

const PLAIN = /^[a-z0-9_-]$/;
const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/; // on Windows, these are devices
const LONGEST = 180;

/** The file name for a key. A name that is too long is cut and ends with `~` and the key's hash; the key is then read from the file. */
export function nameOf(key) {
  const name = [...Buffer.from(key)].map((byte) => (PLAIN.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : escaped(byte))).join("");
  if (RESERVED.test(name)) return escaped(name.charCodeAt(0)) + name.slice(1);
  return name.length > LONGEST ? `${name.slice(0, 100)}~${createHash("sha256").update(key).digest("hex")}` : name;
}

/** The key of a file name; `null` if the name does not contain the whole key. */
export function keyOf(name) {
  try {
    return name.includes("~") ? null : decodeURIComponent(name);
  } catch {
    return null;
  }
}

/** The names in a folder; an empty list if it does not exist. */
export async function namesIn(folder) {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

const escaped = (byte) => `%${byte.toString(16).padStart(2, "0")}`;
