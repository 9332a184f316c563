// Bytes as base64 text, for stores that hold only text.

/** Bytes per call: more arguments are not safe in every engine. A multiple of 3. */
const PIECE = 3 << 13;

/** Encodes bytes in base64. */
export function toBase64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) text += btoa(String.fromCharCode.apply(null, bytes.subarray(at, at + PIECE)));
  return text;
}

/** The bytes of a base64 text; `null` for any other text. */
export function fromBase64(text) {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const bytes = new Uint8Array((text.length / 4) * 3);
  let end = 0;
  for (let at = 0; at < text.length; at += (PIECE / 3) * 4) {
    const piece = atob(text.slice(at, at + (PIECE / 3) * 4));
    for (let i = 0; i < piece.length; i++) bytes[end++] = piece.charCodeAt(i);
  }
  return bytes.slice(0, end);
}
