// An answer as it came over the wire, and as the `Response` that the hooks read.

import { Readable, pipeline } from "node:stream";
import { buffer } from "node:stream/consumers";
import zlib from "node:zlib";

const UNPACKED = {
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  ...(zlib.createZstdDecompress && { zstd: zlib.createZstdDecompress }),
};

/** Statuses whose answer has no body. */
const EMPTY = new Set([204, 205, 304]);
const JSON_TEXT = /^application\/([\w.-]+\+)?json\b/i;

/** The upstream went away in the middle of its answer. */
export class BrokenOff extends Error {
  constructor(cause) {
    super(`the upstream broke off in the middle of its answer (${cause.code ?? cause.message})`, { cause });
  }
}

/**
 * The answer, unpacked: an upstream may pack it though it was asked not to, and its usage is inside. JSON is read whole, because
 * half of it is useless; everything else passes as it comes.
 *
 * @returns `{ response, bytes }`: `bytes` where it was read
 */
export async function answerOf(message) {
  const { statusCode: status } = message;
  const type = message.headers["content-type"] ?? "";
  // No `Response` can have such a status: nothing is read of it.
  if (status < 200 || status > 599) return { response: { status, ok: false, headers: new Headers(), body: Readable.toWeb(message) } };
  const head = { status, headers: { "content-type": type } };
  if (EMPTY.has(status)) return { response: new Response(null, head) };
  const stream = unpacked(message);
  if (!JSON_TEXT.test(type)) return { response: new Response(Readable.toWeb(stream), head) };
  const bytes = await buffer(stream).catch((error) => {
    throw new BrokenOff(error);
  });
  return { response: new Response(bytes, head), bytes };
}

/** Headers of the answer that no longer hold once it is unpacked. */
export const changedBy = (message) => (unpackerOf(message) ? ["content-encoding", "content-length"] : []);

const unpackerOf = ({ headers }) => UNPACKED[headers["content-encoding"]?.toLowerCase()];

function unpacked(message) {
  const unpacker = unpackerOf(message);
  return unpacker ? pipeline(message, unpacker(), () => {}) : message; // an error of the one ends the other
}
