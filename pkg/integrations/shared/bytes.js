// Replaces bytes in AI SDK messages by base64, because JSON would write them as an object of numbers.

const CHUNK = 0x8000;

function base64Of(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

/** A copy of the entry with base64 in place of bytes; the entry itself if it has none. */
export function withoutBytes(value) {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof ArrayBuffer) return base64Of(new Uint8Array(value));
  if (ArrayBuffer.isView(value)) return base64Of(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  if (Array.isArray(value)) {
    const list = value.map(withoutBytes);
    return list.every((entry, i) => Object.is(entry, value[i])) ? value : list;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value; // such as a URL, which has its own `toJSON`
  let copy;
  for (const key of Object.keys(value)) {
    const made = withoutBytes(value[key]);
    if (!Object.is(made, value[key])) (copy ??= { ...value })[key] = made;
  }
  return copy ?? value;
}
