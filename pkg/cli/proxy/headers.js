// Raw headers, names and values alternating, so that their order, their case and duplicates are kept.

/** Headers of one connection, which are not passed on. */
const HOP = ["connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade"];

/** The headers to pass on, without those named in `without` (lowercase). */
export function passedOn(raw, without = []) {
  const pairs = raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1]]] : []));
  // The header `connection` may name others that are only for the next hop.
  const named = pairs.filter(([name]) => name.toLowerCase() === "connection").flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/));
  // Never drop the length because of that: without it, the body would be read as the next request.
  const left = new Set([...HOP, ...named.filter((name) => name !== "content-length"), ...without]);
  return pairs.filter(([name]) => !left.has(name.toLowerCase())).flat();
}
