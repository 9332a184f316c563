// Builds static files that work from any path. The package is imported as by any user, through its `exports`.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { guides } from "./guides";

/** The page's policy: neither the page nor anything that it loads may send requests to another host. */
const PAGE = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
];

/** The policy of the frame that calls the visitor's endpoint: it may send requests, and nothing else works there. */
const FRAME = ["default-src 'none'", "script-src 'self'", "connect-src https: http:", "base-uri 'none'", "form-action 'none'"];

const policyOf = (path: string) => (path.endsWith("ask.html") ? FRAME : PAGE).join("; ");

/**
 * Puts the policy at the beginning of each page, because it does not apply to anything before it. The preview server also sends
 * it as a header, because a worker is subject to the policy of its own response, not to the page's.
 */
const policy = (): Plugin => ({
  name: "content-security-policy",
  transformIndexHtml: (_html, { path }) => [
    { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: policyOf(path) }, injectTo: "head-prepend" },
  ],
  configurePreviewServer: ({ middlewares }) => {
    middlewares.use((request, response, next) => {
      response.setHeader("Content-Security-Policy", policyOf(new URL(request.url ?? "/", "http://host").pathname));
      next();
    });
  },
});

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The URL of the source from package.json; empty if there is none. */
function sourceUrl(): string {
  const { repository, homepage } = JSON.parse(readFileSync(at("../package.json"), "utf8"));
  const url: string = repository?.url ?? repository ?? homepage ?? "";
  return url.replace(/^git\+/, "").replace(/\.git$/, "");
}

export default defineConfig({
  base: "./",
  plugins: [policy(), guides(at("../docs"), PAGE.join("; "))],
  define: { __SOURCE__: JSON.stringify(sourceUrl()) },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "es" },
  build: {
    target: "es2022",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: { input: [at("index.html"), at("compare/index.html"), at("ask.html")] },
  },
  server: { host: "127.0.0.1" },
  preview: { host: "127.0.0.1" },
});
