// A store in a Durable Object: workerd, installed by tests/package/runtimes, holds the object; each call of the store is a request.

import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { install } from "../../scripts/lib/installed.mjs";
import { root } from "../../scripts/lib/paths.mjs";

const RUNTIMES = "tests/package/runtimes";

// Values that JSON cannot express.
const WIRE = `
  const sent = (value) => JSON.stringify(value, (_, v) => (v instanceof Uint8Array || v?.type === "Buffer" ? { bytes: btoa(Array.from(v.data ?? v, (b) => String.fromCharCode(b)).join("")) } : v === undefined ? { nothing: true } : v));
  const received = (text) => JSON.parse(text, (_, v) => (typeof v?.bytes === "string" ? Uint8Array.from(atob(v.bytes), (c) => c.charCodeAt(0)) : v?.nothing ? null : v));`;

const WORKER = `
  import { DurableObject } from "cloudflare:workers";
  import { sqliteStore } from "./pkg/stores/sqlite.js";
  ${WIRE}
  export class Sessions extends DurableObject {
    constructor(ctx, env) {
      super(ctx, env);
      this.store = sqliteStore(ctx.storage);
    }
    async fetch(request) {
      const { method, args } = received(await request.text());
      try {
        return new Response(sent({ result: await this.store[method](...args) }));
      } catch (error) {
        return new Response(sent({ error: { code: error.code ?? null, message: String(error.stack) } }));
      }
    }
  }
  export default { fetch: (request, env) => env.SESSIONS.get(env.SESSIONS.idFromName("all")).fetch(request) };`;

const { sent, received } = new Function(`${WIRE} return { sent, received };`)();

/** Returns `{ store, stop }`. */
export async function durableObject() {
  install(RUNTIMES);
  const { Miniflare } = createRequire(join(root, RUNTIMES, "node_modules/"))("miniflare");
  const bundled = await build({ stdin: { contents: WORKER, resolveDir: root }, bundle: true, write: false, format: "esm", platform: "neutral", conditions: ["workerd"], external: ["cloudflare:workers"], logLevel: "error" });
  const miniflare = new Miniflare({
    modules: [{ type: "ESModule", path: "main.js", contents: bundled.outputFiles[0].text }],
    compatibilityDate: "2026-01-01",
    durableObjects: { SESSIONS: { className: "Sessions", useSQLite: true } },
  });
  const store = new Proxy(
    {},
    {
      get: (_, method) =>
        ["close", "then"].includes(method)
          ? undefined
          : async (...args) => {
              const response = await miniflare.dispatchFetch("http://sessions/", { method: "POST", body: sent({ method, args }) });
              const { result, error } = received(await response.text());
              if (error) throw Object.assign(new Error(error.message), { code: error.code });
              return result;
            },
    },
  );
  return { store, stop: () => miniflare.dispose() };
}
