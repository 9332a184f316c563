// Static files that work from any path; the package comes in as it does for any user, through its `exports`.

import { defineConfig, type Plugin } from "vite";

/** What the page may do: nothing of it, and nothing it loads, may reach another place. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Puts the policy into the page, first of all: what comes before it would not be under it. */
const policy = (): Plugin => ({
  name: "content-security-policy",
  transformIndexHtml: () => [
    { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: POLICY }, injectTo: "head-prepend" },
  ],
});

export default defineConfig({
  base: "./",
  plugins: [policy()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "es" },
  build: {
    target: "es2022",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
  },
  server: { host: "127.0.0.1" },
  // As a header too: a worker is under the policy of its own response, not under the page's.
  preview: { host: "127.0.0.1", headers: { "Content-Security-Policy": POLICY } },
});
