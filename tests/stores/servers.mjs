// Servers started by the tests: on the loopback interface, on a free port, with their data in a temporary folder, stopped with the test.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { root } from "../../scripts/lib/paths.mjs";
import { which } from "../../scripts/lib/run.mjs";
import { freePort } from "../support/free-port.mjs";
import { withTries } from "../support/tries.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const HINT = "`npm run setup -- --stores`";

/** Debian keeps PostgreSQL's own programs off the PATH. */
export const postgresFolder = () => {
  const found = which("initdb");
  if (found) return dirname(found);
  const versions = "/usr/lib/postgresql";
  if (!existsSync(versions)) return null;
  const newest = readdirSync(versions).sort((a, b) => b - a)[0];
  return newest ? join(versions, newest, "bin") : null;
};
const pgbouncer = which("pgbouncer") ?? ["/usr/sbin/pgbouncer"].find(existsSync);
/** Where `npm run setup -- --stores` installs the server that speaks S3. */
export const motoPython = join(root, "tests/.cache/moto/bin/python");

/** What the tests of a store lack, in one line; false if nothing. */
export const missing = {
  clients: existsSync(join(here, "clients/node_modules")) ? false : `the clients of the stores are not installed: ${HINT}`,
  redis: which("redis-server") ? false : `redis-server is missing: ${HINT}`,
  postgres: postgresFolder() ? false : `PostgreSQL is missing: ${HINT}`,
  pgbouncer: pgbouncer ? false : `pgbouncer is missing: ${HINT}`,
  s3: existsSync(motoPython) ? false : `moto, which speaks S3, is missing: ${HINT}`,
};

/** Starts a Redis; `isCluster`: a cluster of one node. Nothing is written to disk unless `isDurable`. */
export async function startRedis({ isCluster = false, isDurable = false } = {}) {
  const folder = temporary("redis");
  const disk = isDurable ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"];
  const begin = (port, cluster) => started("redis-server", ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...disk, ...cluster], /ready to accept connections/i);
  let { server, port, cluster } = await withTries("redis-server", async () => {
    const [port, bus] = [await freePort(), String(await freePort())];
    const cluster = isCluster ? ["--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-announce-ip", "127.0.0.1"] : [];
    return { server: await begin(port, cluster), port, cluster };
  });
  if (isCluster) spawnSync("redis-cli", ["-p", String(port), "CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    pid: server.pid,
    /** Kills it and starts it again. */
    async crash() {
      await stopped(server, "SIGKILL");
      server = await begin(port, cluster);
    },
    stop: () => stopped(server),
  };
}

/** Starts PostgreSQL with fsync as in production, and a pooler in transaction mode before it if there is one. */
export async function startPostgres({ hasPooler = false } = {}) {
  const folder = temporary("postgres");
  const data = join(folder, "data");
  const bin = postgresFolder();
  const as = await unprivileged(folder);
  const initdb = spawnSync(join(bin, "initdb"), ["-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-locale"], { ...as, encoding: "utf8" });
  if (initdb.status !== 0) throw new Error(`initdb: ${initdb.stderr}`);
  const { server, port } = await withTries("postgres", async () => {
    const port = await freePort();
    const args = ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${folder}`, "-c", "max_connections=200"];
    return { server: await started(join(bin, "postgres"), args, /ready to accept connections/, as), port };
  });
  const pooler = hasPooler ? await withTries("pgbouncer", () => startPooler({ folder, port, as })) : null;
  return {
    url: `postgres://tester@127.0.0.1:${port}/postgres`,
    poolerUrl: pooler && `postgres://tester@127.0.0.1:${pooler.port}/postgres`,
    async stop() {
      if (pooler) await stopped(pooler.process, "SIGINT");
      await stopped(server, "SIGINT"); // PostgreSQL's fast shutdown
    },
  };
}

async function startPooler({ folder, port, as }) {
  const own = await freePort();
  const config = join(folder, "pgbouncer.ini");
  const lines = ["[databases]", `postgres = host=127.0.0.1 port=${port} user=tester`, "[pgbouncer]", "listen_addr = 127.0.0.1", `listen_port = ${own}`, "unix_socket_dir =", "auth_type = any", "pool_mode = transaction", "default_pool_size = 4", "max_client_conn = 200"];
  writeFileSync(config, `${lines.join("\n")}\n`);
  return { port: own, process: await started(pgbouncer, [config], /process up/, as) };
}

/** Starts a server that speaks S3, with a bucket of this name: moto, one request after the other (./s3-server.py says why). */
export async function startS3(bucket = "chats") {
  const { server, url } = await withTries("moto", async () => {
    const port = await freePort();
    return { server: await started(motoPython, [join(here, "s3-server.py"), String(port)], /listening/), url: `http://127.0.0.1:${port}` };
  });
  const made = await fetch(`${url}/${bucket}`, { method: "PUT", headers: { authorization: "AWS4-HMAC-SHA256 Credential=none/20260101/us-east-1/s3/aws4_request" } });
  if (!made.ok) throw new Error(`no bucket: ${made.status} ${await made.text()}`);
  return { url, bucket, stop: () => stopped(server) };
}

/** A folder that is removed when this process ends. */
function temporary(name) {
  const folder = mkdtempSync(join(tmpdir(), `contextfold-${name}-`));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** PostgreSQL does not run as root: then it runs as the user `postgres`, which owns the folder. */
async function unprivileged(folder) {
  if (process.getuid() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((flag) => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout));
  chownSync(folder, uid, gid);
  return { uid, gid, cwd: folder };
}

const running = new Set();
process.once("exit", () => running.forEach((server) => server.kill("SIGKILL")));
// A test that times out is killed by a signal, which alone would leave the servers running.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** Longer than a server takes to start on a busy machine. */
const PATIENCE_MS = 30_000;

/** Starts a program and waits until it prints that it is ready. It may fail to: its port was free a moment ago, and may be taken by now. */
async function started(command, args, ready, options = {}) {
  const server = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  running.add(server);
  server.once("exit", () => running.delete(server));
  let said = "";
  let late;
  const isReady = new Promise((resolve, reject) => {
    const hear = (chunk) => {
      said = (said + chunk).slice(-10_000);
      if (ready.test(said)) resolve();
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`it ended with ${code}: ${said}`)));
    late = setTimeout(() => {
      server.kill("SIGKILL");
      reject(new Error(`it said nothing of being ready in ${PATIENCE_MS / 1000} s: ${said}`));
    }, PATIENCE_MS);
  });
  await isReady.finally(() => clearTimeout(late));
  return server;
}

/** Ends exactly this process, and waits until it has ended. */
async function stopped(server, signal = "SIGTERM") {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, "exit");
  server.kill(signal);
  const late = sleep(10_000, "late", { ref: false });
  if ((await Promise.race([gone, late])) !== "late") return;
  server.kill("SIGKILL");
  await gone;
}
