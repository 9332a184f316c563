// A Redis for the test: on the loopback interface, without files, stopped with the test.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { which } from "../../scripts/lib/run.mjs";

/** If redis-server is missing, a line that says so; otherwise null. */
export const missingRedis = which("redis-server") ? null : "redis-server is missing: `npm run setup -- --redis`";

/** Starts one on a free port; returns `{ port, stop }`. */
export async function startRedis() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const server = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((ready, failed) => {
    server.once("error", failed);
    server.once("exit", (code) => failed(new Error(`redis-server ended with ${code}`)));
    let said = "";
    server.stdout.on("data", (chunk) => {
      said += chunk;
      if (/ready to accept connections/i.test(said)) ready();
    });
  });
  server.removeAllListeners("exit");
  return {
    port,
    async stop() {
      server.kill(); // this very process
      await once(server, "exit");
    },
  };
}
