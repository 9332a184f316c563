// The guides of docs/ as pages beside this one: the same texts, for somebody who has only the page.

import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { Marked } from "marked";
import type { Plugin } from "vite";

/** Emits each document as a page; `policy`: what these pages may do. */
export function guides(folder: string, policy: string): Plugin {
  return {
    name: "guides",
    apply: "build",
    generateBundle(_options, bundle) {
      const [css, icons] = [".css", ".svg"].map((end) => Object.keys(bundle).filter((name) => name.endsWith(end)));
      const names = new Set(readdirSync(folder).filter((name) => name.endsWith(".md")));
      for (const name of names) this.emitFile({ type: "asset", fileName: `docs/${pageOf(name)}`, source: page(readFileSync(join(folder, name), "utf8"), names, css!, icons!, policy) });
    },
  };
}

/** The first one is what a server shows for the folder. */
const pageOf = (name: string) => (name === "README.md" ? "index.html" : `${basename(name, ".md")}.html`);

function page(text: string, names: ReadonlySet<string>, css: string[], icons: string[], policy: string): string {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? "contextfold";
  let tables = 0; // each has a name of its own
  const marked = new Marked({
    renderer: {
      // As the links between the documents say it: by the heading's words.
      heading: (html, level, raw) => `<h${level} id="${raw.toLowerCase().replace(/<[^>]*>|[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-")}">${html}</h${level}>\n`,
      link(href, _title, html) {
        const [path = "", hash] = href.split("#");
        // What is no guide is not beside this page: its name stays, the link does not.
        if (path && !names.has(path) && !/^https?:/.test(path)) return html;
        return `<a href="${names.has(path) ? pageOf(path) : path}${hash ? `#${hash}` : ""}">${html}</a>`;
      },
      code: (code) => `<pre class="code" tabindex="0"><code>${escaped(code)}</code></pre>\n`,
      table: (head, body) => `<div class="table-scroll" tabindex="0" role="region" aria-label="Table ${++tables}"><table class="compare-table"><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`,
    },
  });
  return `<!doctype html>
<html lang="en">
  <head>
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escaped(title)} · contextfold</title>
    ${[...icons.map((name) => `<link rel="icon" href="../${name}" type="image/svg+xml" />`), ...css.map((name) => `<link rel="stylesheet" href="../${name}" />`)].join("\n    ")}
  </head>
  <body>
    <header class="header">
      <nav class="header-links" aria-label="More"><a href="../">Try it on a session</a><a href="./">All guides</a></nav>
    </header>
    <main class="guide">${marked.parse(text)}</main>
  </body>
</html>
`;
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
