// contextfold proxy: a local server between an agent and its API, which keeps each conversation inside its window.

import { readFileSync } from "node:fs";
import { Session } from "contextfold";
import { EXIT, usage, whyUnreadable } from "../failure.js";
import { plain } from "../paint.js";
import { listening, upstreamUrl } from "../proxy/addresses.js";
import { Proxy } from "../proxy/server.js";
import { reportOnce } from "../proxy/report-once.js";
import { print, style } from "../terminal.js";

const HOST = "127.0.0.1";
const PORT = 8484;

export async function proxy(flags) {
  const { port = PORT, host = HOST } = flags;
  const upstream = urlOf(flags.upstream);
  const models = flags.models === undefined ? undefined : readModels(flags.models);
  refuseWrongLimits({ contextWindow: flags.window, models });
  const server = new Proxy({ upstream, window: flags.window, models, preset: flags.preset, extractive: flags.extractive, tell: reportOnce(say) });
  const address = await listening(server, port, host).catch((error) => {
    throw usage(error.message, "proxy");
  });
  const { paint } = style(process.stdout, flags);
  print(`contextfold proxy to ${upstream.origin}: set ${paint.bold(`ANTHROPIC_BASE_URL=${address}`)} or ${paint.bold(`OPENAI_BASE_URL=${address}/v1`)}; what it decides: ${address}/contextfold\n`);
  await told();
  process.once("SIGTERM", () => server.end()).once("SIGINT", () => server.end()); // a second signal ends it at once
  await server.drain();
  return EXIT.fine;
}

function urlOf(text) {
  if (text === undefined) throw usage("--upstream URL is needed, such as https://api.anthropic.com, https://api.openai.com or https://generativelanguage.googleapis.com", "proxy");
  try {
    return upstreamUrl(text);
  } catch (error) {
    throw usage(`--upstream: ${error.message}`, "proxy");
  }
}

function readModels(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw usage(error instanceof SyntaxError ? `${file} is not JSON: ${error.message}` : `cannot read ${file}: ${whyUnreadable(error)}`, "proxy");
  }
}

/** Reports wrong limits before anybody connects: each conversation's session would refuse them, and every request would pass through as it is. */
function refuseWrongLimits(limits) {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  new Session(Object.fromEntries(given)).free();
}

const say = (what) => process.stderr.write(`contextfold proxy: ${plain(what)} (further failures of this kind are not shown)\n`);

/** Resolves when the process gets a signal to stop. */
const told = () => new Promise((done) => process.once("SIGTERM", done).once("SIGINT", done));
