// Reads request bodies into memory, because a body must be complete before it can be made to fit.

/** More than any API accepts. */
export const MAX_BYTES = 100_000_000;

export class TooLarge extends Error {
  constructor(most) {
    super(`the request's body is larger than this proxy's limit of ${most / 1e6} MB: send less, or send it to the API directly`);
  }
}

/** The bytes of a body, unchanged. */
export async function bytesOf(request, most = MAX_BYTES) {
  if (Number(request.headers["content-length"]) > most) throw new TooLarge(most);
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > most) throw new TooLarge(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

export const hasBody = ({ headers }) => headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0;

/** Compressed bodies are passed on unchanged, because they are not decompressed here. */
export const isPacked = ({ headers }) => !["", "identity"].includes((headers["content-encoding"] ?? "").toLowerCase());
