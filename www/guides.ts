// Builds the guides of docs/ as pages next to this one, for visitors who only have the page.

import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { Marked } from "marked";
import type { Plugin } from "vite";

/** Emits each document as a page. `policy`: the pages' Content-Security-Policy. */
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

/** The file name of a document's page. README.md becomes the folder's index page. */
const pageOf = (name: string) => (name === "README.md" ? "index.html" : `${basename(name, ".md")}.html`);

function page(text: string, names: ReadonlySet<string>, css: string[], icons: string[], policy: string): string {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? "contextfold";
  let tables = 0; // for a unique label of each table
  const marked = new Marked({
    renderer: {
      // The id by which links between the documents refer to a heading: made from its words.
      heading: (html, level, raw) => `<h${level} id="${raw.toLowerCase().replace(/<[^>]*>|[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-")}">${html}</h${level}>\n`,
      link(href, _title, html) {
        const [path = "", hash] = href.split("#");
        // A relative link to something that is not a guide would be dead here, so only its text is kept.
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
