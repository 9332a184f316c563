// The body of a request, in memory: it has to be whole before it can be made to fit.

/** No API takes as much. */
export const MOST_BYTES = 100_000_000;

export class TooLarge extends Error {
  constructor(most) {
    super(`the request's body is larger than ${most / 1e6} MB, the most that this proxy takes: send less, or send it to the API itself`);
  }
}

/** The bytes of a body, as they came. */
export async function bytesOf(request, most = MOST_BYTES) {
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

/** Packed bodies go on as they are: they are not unpacked here. */
export const isPacked = ({ headers }) => !["", "identity"].includes((headers["content-encoding"] ?? "").toLowerCase());
