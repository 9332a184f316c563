// The names of tool outputs are hashes of their content, so somebody could test whether a certain text was ever read. So names
// are encrypted, always in the same way (like AES-SIV), so that the same output is found again. The first half is an HMAC of the
// name, which tells nothing without the key. The name is encrypted with it as the counter, so that `getKeys` can return it.

const PREFIX = "contextfold:output:";
const MAC = 16;
const HASH = /^[0-9a-f]{64}$/;

export const isOutput = (name) => name.startsWith(PREFIX);

/** What an output lies under with this key. */
export async function hidden(keys, id, name) {
  const { mac, cipher } = await keys.forNames(id);
  const plain = packed(name.slice(PREFIX.length));
  const tag = await tagOf(mac, plain);
  const encrypted = await crypto.subtle.encrypt({ name: "AES-CTR", counter: tag, length: 128 }, cipher, plain);
  return PREFIX + toHex(tag) + toHex(new Uint8Array(encrypted));
}

/** The output that lies under a name; `null` where it was not stored with any of these keys. */
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

/** Where the names begin that may be those of items that begin so. */
export const listedFrom = (prefix) => (isOutput(prefix) ? PREFIX : prefix);

const tagOf = async (mac, plain) => new Uint8Array(await crypto.subtle.sign("HMAC", mac, plain)).slice(0, MAC);

/** A hash as its 32 bytes, so that names stay short. */
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
