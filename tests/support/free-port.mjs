// A port for a server that cannot choose one itself.

import { once } from "node:events";
import { createServer } from "node:net";

/** A port of the loopback interface that nobody listens on now. Another program may take it before it is used: so servers get tries. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
