// `contextfold proxy` inside the caller's process, for an agent that runs as a separate program and accepts a base URL.

import { ContextError, Session } from "contextfold";
import { listening, upstreamUrl } from "../cli/proxy/addresses.js";
import { Proxy } from "../cli/proxy/server.js";
import { reportOnce } from "../cli/proxy/report-once.js";
import { optionsOf } from "../given.js";
import { nearest } from "../nearest.js";

const OPTIONS = ["upstream", "contextWindow", "models", "ladder", "extractive", "port", "host", "onError"];

/** See proxy.d.ts. */
export async function startProxy(options) {
  const { upstream, contextWindow, models, ladder, extractive, port = 0, host = "127.0.0.1", onError } = read(options);
  const server = new Proxy({ upstream, window: contextWindow, models, preset: ladder, extractive, tell: reporterOf(onError) });
  const url = await listening(server, port, host).catch((error) => {
    throw new ContextError("INVALID_CONFIG", error.message, { cause: error });
  });
  let closed;
  const close = () => (closed ??= server.drain());
  return {
    url,
    env: { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1` },
    reports: (most) => server.reports(most),
    close,
    [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]: close,
  };
}

function read(given) {
  const options = optionsOf(given);
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown !== undefined) {
    const near = nearest(unknown, OPTIONS);
    throw new ContextError("INVALID_CONFIG", `\`${unknown}\`: unknown key; ${near ? `did you mean \`${near}\`?` : `there are ${OPTIONS.map((name) => `\`${name}\``).join(", ")}`}`);
  }
  const { contextWindow, models, ladder, onError } = options;
  if (onError !== undefined && typeof onError !== "function") throw new ContextError("INVALID_CONFIG", "onError: expected a function");
  const ofSession = Object.fromEntries(Object.entries({ contextWindow, models, ladder }).filter(([, value]) => value !== undefined));
  new Session(ofSession).free(); // throws if these options are wrong
  try {
    return { ...options, upstream: upstreamUrl(options.upstream) };
  } catch (error) {
    throw new ContextError("INVALID_CONFIG", `upstream: ${error.message}`);
  }
}

/** Passes each failure to `onError`, or else the first of each kind to the console. */
function reporterOf(onError) {
  if (!onError) return reportOnce((what) => console.warn(`contextfold (proxy): ${what} (reported once per kind; \`onError\` gets every failure)`));
  return (error) => {
    try {
      onError(error);
    } catch {
      // an error of the observer must not stop the agent
    }
  };
}
