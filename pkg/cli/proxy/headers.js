// Headers as they stand on the wire, name and value by turns: their order, their case and those that stand twice are kept.

/** Of one connection, not of the message: each side has its own. */
const HOP = ["connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade"];

/** The headers that go on, but for those that are named. */
export function passedOn(raw, without = []) {
  const pairs = raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1]]] : []));
  // A message may name others that are for the next hop alone.
  const named = pairs.filter(([name]) => name.toLowerCase() === "connection").flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/));
  // The length is never such a one: without it, what stands in the body would be read as the next request.
  const left = new Set([...HOP, ...named.filter((name) => name !== "content-length"), ...without]);
  return pairs.filter(([name]) => !left.has(name.toLowerCase())).flat();
}
