// An answer as it came over the wire, and as the `Response` that the hooks read.

import { Readable, pipeline } from "node:stream";
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

/** The answer, unpacked: an upstream may pack it though it was asked not to, and what it cost stands inside. */
export function responseOf(message) {
  const { statusCode: status } = message;
  // No `Response` can have such a status: nothing is read of it.
  if (status < 200 || status > 599) return { status, ok: false, headers: new Headers(), body: Readable.toWeb(message) };
  const headers = { "content-type": message.headers["content-type"] ?? "" };
  return new Response(EMPTY.has(status) ? null : Readable.toWeb(unpacked(message)), { status, headers });
}

/** Headers of the answer that no longer hold once it is unpacked. */
export const changedBy = (message) => (unpackerOf(message) ? ["content-encoding", "content-length"] : []);

const unpackerOf = ({ headers }) => UNPACKED[headers["content-encoding"]?.toLowerCase()];

function unpacked(message) {
  const unpacker = unpackerOf(message);
  return unpacker ? pipeline(message, unpacker(), () => {}) : message; // an error of the one ends the other
}
