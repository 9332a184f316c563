// The names of tool outputs are hashes of their content, so somebody could test whether a certain text was ever read. Therefore names
// are encrypted, deterministically (like AES-SIV), so that the same output is found again. An encrypted name begins with an HMAC of the
// name, which reveals nothing without the key. Then comes the name, encrypted with the HMAC as counter, so that `getKeys` can
// return it. In an ordinary store, an output's time is an item of its own, whose name contains the output's: that part is encrypted, too.

import { itemTimedBy, timeOf } from "../segments/names.js";

const PREFIX = "contextfold:output:";
const MAC = 16;
const HASH = /^[0-9a-f]{64}$/;

export const isOutput = (name) => name.startsWith(PREFIX);

/** Whether a name is that of an output's time. */
export const isTimeOfOutput = (name) => isOutput(itemTimedBy(name) ?? "");

/** The name under which an output, or its time, is stored with this key. */
export async function hidden(keys, id, name) {
  if (isTimeOfOutput(name)) return timeOf(await hidden(keys, id, itemTimedBy(name)));
  const { mac, cipher } = await keys.forNames(id);
  const plain = packed(name.slice(PREFIX.length));
  const tag = await tagOf(mac, plain);
  const encrypted = await crypto.subtle.encrypt({ name: "AES-CTR", counter: tag, length: 128 }, cipher, plain);
  return PREFIX + toHex(tag) + toHex(new Uint8Array(encrypted));
}

/** Decrypts a stored name; `null` if it was not stored with any of these keys. */
export async function shown(keys, ids, stored) {
  const bytes = fromHex(stored.slice(PREFIX.length));
  if (bytes === null || bytes.length <= MAC) return null;
  const [tag, encrypted] = [bytes.slice(0, MAC), bytes.slice(MAC)];
  for (const id of ids) {
    const { mac, cipher } = await keys.forNames(id);
    const plain = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-CTR", counter: tag, length: 128 }, cipher, encrypted));
    if ((await tagOf(mac, plain)).every((byte, i) => byte === tag[i])) return PREFIX + unpacked(plain);
  }
  return null;
}

/** The prefix of stored names for a prefix of plain names. The rest of an output's name is encrypted, so outputs are all listed. */
export const listedFrom = (prefix) => (isOutput(prefix) ? PREFIX : prefix);

const tagOf = async (mac, plain) => new Uint8Array(await crypto.subtle.sign("HMAC", mac, plain)).slice(0, MAC);

/** A name as bytes after a marker: a hash as its 32 bytes (1), so that names stay short, anything else as text (0). */
function packed(rest) {
  const [first, bytes] = HASH.test(rest) ? [1, fromHex(rest)] : [0, new TextEncoder().encode(rest)];
  const all = new Uint8Array(1 + bytes.length);
  all[0] = first;
  all.set(bytes, 1);
  return all;
}

const unpacked = (plain) => (plain[0] === 1 ? toHex(plain.subarray(1)) : new TextDecoder().decode(plain.subarray(1)));

const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

function fromHex(text) {
  if (!/^([0-9a-f]{2})*$/.test(text)) return null;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
