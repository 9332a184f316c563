// Converts an answer of the upstream to the `Response` that the hooks read.

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

/** Statuses of answers without a body. */
const EMPTY = new Set([204, 205, 304]);
const JSON_TEXT = /^application\/([\w.-]+\+)?json\b/i;

/** The upstream closed the connection in the middle of its answer. */
export class BrokenOff extends Error {
  constructor(cause) {
    super(`the upstream broke off in the middle of its answer (${cause.code ?? cause.message})`, { cause });
  }
}

/**
 * Returns the answer, decompressed: an upstream may compress it although it was asked not to, and we need the usage in it. JSON is read
 * completely, because half of it is useless; everything else is streamed.
 *
 * @returns `{ response, bytes }`; `bytes` only if the body was read
 */
export async function answerOf(message) {
  const { statusCode: status } = message;
  const type = message.headers["content-type"] ?? "";
  // A `Response` cannot have such a status, so use an object like one. Its body is not inspected.
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

/** Headers of the answer that are no longer true if it was decompressed. */
export const changedBy = (message) => (unpackerOf(message) ? ["content-encoding", "content-length"] : []);

const unpackerOf = ({ headers }) => UNPACKED[headers["content-encoding"]?.toLowerCase()];

function unpacked(message) {
  const unpacker = unpackerOf(message);
  return unpacker ? pipeline(message, unpacker(), () => {}) : message; // `pipeline`, so that an error of one ends the other
}
