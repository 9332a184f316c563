// The upstream's URL and the address to listen at, with errors that say what is wrong with them.

/** Parses the upstream's URL; throws an error that says what is wrong with it. */
export function upstreamUrl(text) {
  let url;
  try {
    url = new URL(text);
  } catch {
    throw new Error(`${text} is not a URL such as https://api.openai.com`);
  }
  if (!/^https?:$/.test(url.protocol)) throw new Error(`${url.protocol}// is not supported; use https:// or http://`);
  if (url.username || url.password || url.search || url.hash) throw new Error("leave out user, password, query and fragment; keys are sent with each request");
  return url;
}

const WRONG_PLACE = {
  EADDRINUSE: "the port is already in use; choose another one, or 0 for any free port",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "no such host",
  EACCES: "permission denied",
};

/** Starts to listen. Returns the address for a client on this machine, or throws an error that says why it cannot listen. */
export async function listening(server, port, host) {
  try {
    return addressOf(host, await server.listen(port, host));
  } catch (error) {
    throw new Error(`cannot listen at ${host}, port ${port}: ${WRONG_PLACE[error.code] ?? error.code ?? error.message}`, { cause: error });
  }
}

function addressOf(host, port) {
  const reached = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[host] ?? (host.includes(":") ? `[${host}]` : host);
  return `http://${reached}:${port}`;
}
