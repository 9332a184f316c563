// Who may send requests: programs on this machine, or on the network if the proxy listens there, but no foreign web page in a browser.

import { isIP } from "node:net";
import { hostname } from "node:os";

/** Why a request is refused; `undefined` if it is accepted. */
export function whyForbidden({ headers }, listensAt) {
  const host = nameOf(`http://${headers.host ?? ""}`);
  // With DNS rebinding, the header has the web page's own host name, which has a dot and is not ours.
  const isOurs = host !== undefined && (isIP(host) || !host.includes(".") || host.endsWith(".localhost") || [listensAt, hostname()].includes(host));
  if (!isOurs) return "the proxy does not serve this host name; use the address that it printed, or start it with --host and this name";
  const { origin } = headers;
  if (origin?.startsWith("http") && nameOf(origin) !== host && !isLocal(nameOf(origin))) return "requests from web pages of other sites are not allowed";
  if (headers["sec-fetch-site"] === "cross-site" && !isLocal(nameOf(origin ?? ""))) return "requests from web pages of other sites are not allowed";
  return undefined;
}

const isLocal = (name) => name !== undefined && (name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127\./.test(name));

function nameOf(url) {
  try {
    return new URL(url).hostname.replace(/^\[|\]$/g, "");
  } catch {
    return undefined;
  }
}
