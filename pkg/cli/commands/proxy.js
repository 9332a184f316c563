// contextfold proxy: a local server between an agent and its API, which keeps each conversation inside its window.

import { readFileSync } from "node:fs";
import { EXIT, usage, whyUnreadable } from "../failure.js";
import { plain } from "../paint.js";
import { Proxy } from "../proxy/server.js";
import { print, style } from "../terminal.js";

const HOST = "127.0.0.1";
const PORT = 8484;

export async function proxy(flags) {
  const { port = PORT, host = HOST } = flags;
  const upstream = urlOf(flags.upstream);
  const server = new Proxy({ upstream, window: flags.window, models: flags.models && readModels(flags.models), preset: flags.preset, extractive: flags.extractive, tell: teller() });
  const address = addressOf(host, await listening(server, port, host));
  const { paint } = style(process.stdout, flags);
  print(`contextfold proxy to ${upstream.origin}: set ${paint.bold(`ANTHROPIC_BASE_URL=${address}`)} or ${paint.bold(`OPENAI_BASE_URL=${address}/v1`)}; what it decides: ${address}/contextfold\n`);
  await told();
  process.once("SIGTERM", () => server.end()).once("SIGINT", () => server.end()); // who asks twice does not want to wait
  await server.drain();
  return EXIT.fine;
}

function urlOf(text) {
  if (text === undefined) throw usage("--upstream URL is needed, as https://api.anthropic.com or https://api.openai.com", "proxy");
  let url;
  try {
    url = new URL(text);
  } catch {
    throw usage(`--upstream: ${text} is no URL such as https://api.openai.com`, "proxy");
  }
  if (!/^https?:$/.test(url.protocol)) throw usage(`--upstream: ${url.protocol}// is not spoken here, but https:// and http:// are`, "proxy");
  if (url.username || url.password || url.search || url.hash) throw usage("--upstream: leave out user, password, query and fragment; keys come with each request", "proxy");
  return url;
}

function readModels(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw usage(error instanceof SyntaxError ? `${file} is not JSON: ${error.message}` : `cannot read ${file}: ${whyUnreadable(error)}`, "proxy");
  }
}

const WRONG_PLACE = {
  EADDRINUSE: "something else listens there; take another --port, or 0 for any that is free",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "no such host",
  EACCES: "permission denied",
};

async function listening(server, port, host) {
  try {
    return await server.listen(port, host);
  } catch (error) {
    throw usage(`cannot listen at ${host}, port ${port}: ${WRONG_PLACE[error.code] ?? error.code ?? error.message}`, "proxy");
  }
}

/** An address that a client on this machine can use. */
function addressOf(host, port) {
  const reached = { "0.0.0.0": HOST, "::": "[::1]" }[host] ?? (host.includes(":") ? `[${host}]` : host);
  return `http://${reached}:${port}`;
}

/** Tells of each kind of failure once: an agent that makes a thousand calls would fill the terminal with one. */
function teller() {
  const told = new Set();
  return (error) => {
    const kind = error.code ?? error.message;
    if (told.has(kind)) return;
    told.add(kind);
    const said = error.message.replace(/`[^`]*`/g, "`…`"); // what stands in quotes may be the client's words
    process.stderr.write(`contextfold proxy: ${plain(`${error.code ? `${error.code}: ` : ""}${said}`)} (the first of its kind; no more are told)\n`);
  };
}

/** Until the process is told to stop. */
const told = () => new Promise((done) => process.once("SIGTERM", done).once("SIGINT", done));
