// The caller's keys, and the keys derived from them: one for each kind of value under each name, and two for encrypting names.
// So no key encrypts values of more than one name, which keeps it far from the limit for random nonces.

import { ContextError } from "../../error.js";
import { lruCache } from "../segments/lru-cache.js";

const RAW_BYTES = 32;
const LONGEST_ID = 100;
const MAX_DERIVED = 1_000;

export function keysOf(ask) {
  if (typeof ask !== "function") throw new ContextError("INVALID_ARGUMENT", "`encrypt`: expected a function that returns the key for an id, or the current key if called without one");
  const imported = new Map();
  const derived = lruCache(MAX_DERIVED);

  async function asked(id) {
    let given;
    try {
      given = await ask(id);
    } catch (cause) {
      throw new ContextError("STORE_FAILED", `the callback \`encrypt\` failed${id === undefined ? "" : ` for \`${id}\``}`, { cause });
    }
    if (id !== undefined && given?.id !== id) throw new ContextError("STORE_FAILED", `there is no key \`${id}\`, so data encrypted with it cannot be read`);
    const isId = typeof given?.id === "string" && given.id !== "" && new TextEncoder().encode(given.id).length <= LONGEST_ID;
    if (!isId) throw new ContextError("INVALID_ARGUMENT", `\`encrypt\`: expected it to return { id, key }, with a text of 1 to ${LONGEST_ID} bytes as the id`);
    if (!imported.has(given.id)) imported.set(given.id, await importedKey(given.key));
    return given;
  }

  /** The id of the current key, and the ids of older keys that may still be in use. */
  async function current() {
    const { id, older = [] } = await asked();
    return { id, older: older.filter((earlier) => earlier !== id) };
  }

  /** Derives a key for one purpose from the key with this id. */
  async function derive(id, algorithm, usages, purpose) {
    const info = JSON.stringify(["contextfold", 1, algorithm.name, ...purpose]);
    const name = `${id} ${info}`;
    const there = derived.get(name);
    if (there) return there;
    if (!imported.has(id)) await asked(id);
    const parameters = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: new TextEncoder().encode(info) };
    const key = await crypto.subtle.deriveKey(parameters, imported.get(id), algorithm, false, usages);
    derived.set(name, key);
    return key;
  }

  return {
    current,
    forValues: (id, kind, name) => derive(id, { name: "AES-GCM", length: 256 }, ["encrypt", "decrypt"], [kind, name]),
    forNames: async (id) => ({
      mac: await derive(id, { name: "HMAC", hash: "SHA-256", length: 256 }, ["sign"], ["names"]),
      cipher: await derive(id, { name: "AES-CTR", length: 256 }, ["encrypt", "decrypt"], ["names"]),
    }),
  };
}

async function importedKey(key) {
  if (ArrayBuffer.isView(key) && key.byteLength === RAW_BYTES) return crypto.subtle.importKey("raw", key, "HKDF", false, ["deriveKey"]);
  if (key?.algorithm?.name === "HKDF" && key.usages.includes("deriveKey")) return key;
  throw new ContextError("INVALID_ARGUMENT", `\`encrypt\`: expected ${RAW_BYTES} random bytes, or a CryptoKey for HKDF with the usage deriveKey`);
}
