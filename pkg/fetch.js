// Loads the module for pages and bundlers: over the network, or from what the caller passes.

import { ContextError } from "./error.js";
import { bind, importsOf, isLoaded } from "./load.js";

let loading;

/** Loads the module once. A failed attempt may be repeated. */
export function initFrom(source) {
  if (isLoaded()) return Promise.resolve();
  loading ??= instantiate(source).then(bind).finally(() => (loading = undefined));
  return loading;
}

async function instantiate(source) {
  const given = await source;
  try {
    const module = await compiled(given);
    return await WebAssembly.instantiate(module, importsOf(module));
  } catch (cause) {
    throw isForbidden(cause) ? forbidden(cause) : cause;
  }
}

/** Whether the page's content security policy allows no WebAssembly. Each browser says it in words of its own. */
const isForbidden = (error) => !ContextError.isInstance(error) && /content security policy|\bCSP\b|unsafe-eval/i.test(error?.message);

const forbidden = (cause) =>
  new ContextError(
    "NOT_INITIALIZED",
    "the page's Content-Security-Policy allows no WebAssembly: add 'wasm-unsafe-eval' to its `script-src` (it allows no `eval` of JavaScript)",
    { cause },
  );

async function compiled(given) {
  if (given instanceof WebAssembly.Module) return given;
  if (given instanceof ArrayBuffer || ArrayBuffer.isView(given)) return WebAssembly.compile(given);
  const response = given instanceof Response ? given : await fetched(given);
  if (!response.ok) throw unloadable(response.url, `the server answers ${response.status}`);
  // Streaming requires the content type application/wasm.
  if (WebAssembly.compileStreaming && response.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(response);
  const bytes = await response.arrayBuffer();
  if (!startsAsWasm(bytes)) throw unloadable(response.url, "the server's response is not a WebAssembly module");
  return WebAssembly.compile(bytes);
}

async function fetched(where) {
  try {
    return await fetch(where);
  } catch (cause) {
    throw unloadable(where?.url ?? where, "it cannot be fetched", { cause });
  }
}

const startsAsWasm = (bytes) => bytes.byteLength >= 8 && new DataView(bytes).getUint32(0) === 0x0061736d;

const unloadable = (url, why, details) =>
  new ContextError(
    "NOT_INITIALIZED",
    `contextfold could not load its WebAssembly module from ${url || "the response"}: ${why}. Serve contextfold_bg.wasm there, or pass its URL or bytes to \`init()\``,
    details,
  );
