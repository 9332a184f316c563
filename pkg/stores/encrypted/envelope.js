// One encrypted value: the byte 1 (version), the length of the key's id (1 byte), the id, the nonce (12 bytes), the ciphertext with its
// tag (AES-256-GCM).
//
// The value's kind, name and position are not stored in it, but authenticated with it, so it cannot be moved to another place.

import { ContextError } from "../../error.js";

const VERSION = 1;
const NONCE = 12;
const TAG = 16;

/** `at`: `{ kind, name, position, what }`; `what` describes the value in error messages. */
export async function sealed(keys, id, at, value) {
  const key = await keys.forValues(id, at.kind, at.name);
  const idBytes = new TextEncoder().encode(id);
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE));
  const ciphertext = new Uint8Array(await crypto.subtle.encrypt(parameters(id, at, nonce), key, value));
  const start = 2 + idBytes.length;
  const body = new Uint8Array(start + NONCE + ciphertext.length);
  body.set([VERSION, idBytes.length]);
  body.set(idBytes, 2);
  body.set(nonce, start);
  body.set(ciphertext, start + NONCE);
  return body;
}

export async function unsealed(keys, at, body) {
  const start = 2 + (body[1] ?? 0);
  if (body[0] !== VERSION || body.length < start + NONCE + TAG)
    throw unreadable(at, "it was cut off, or was never encrypted. Load unencrypted data without encryption, then save it again with it");
  const id = new TextDecoder().decode(body.subarray(2, start));
  const key = await keys.forValues(id, at.kind, at.name);
  try {
    return new Uint8Array(await crypto.subtle.decrypt(parameters(id, at, body.subarray(start, start + NONCE)), key, body.subarray(start + NONCE)));
  } catch (cause) {
    throw unreadable(at, `it was altered, was moved from another place, or was encrypted with a different key than the one returned for \`${id}\``, cause);
  }
}

export function unreadable({ what }, why, cause) {
  return new ContextError("STORE_FAILED", `${what} cannot be used: ${why}`, cause === undefined ? {} : { cause });
}

function parameters(id, { kind, name, position = null }, iv) {
  const additionalData = new TextEncoder().encode(JSON.stringify(["contextfold", VERSION, id, kind, name, position]));
  return { name: "AES-GCM", iv, additionalData, tagLength: 8 * TAG };
}
