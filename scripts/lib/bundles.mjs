// Bundles what Node loads into few files, because each file costs a third of a millisecond.
//
//   pkg/**/*.bundle.js   the Node entries and their shared code: one instance of the module, whichever entry is imported
//   pkg/wasm/cjs         the CommonJS versions: of the Node entry, which reads the .wasm files beside the ESM one; and of all others,
//                        which import that one by name and have their shared code in files of their own. Also the declarations as
//                        .d.cts, because TypeScript takes a .d.ts of this package for ESM.

import { build, transform } from "esbuild";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root, wasmDir } from "./paths.mjs";
import { stores } from "./stores.mjs";

const pkg = join(root, "pkg");
const out = join(wasmDir, "cjs");

const tokenizerAtOnce = {
  name: "tokenizer at once",
  setup(build) {
    // A dynamic import waits for Node's loader, as long as reading a packed tokenizer takes; and its code is small.
    build.onLoad({ filter: /[\\/]pkg[\\/]exports\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8").replaceAll('(await import("./tokenizer.js"))', "tokenizerEntry");
      return { contents: `import * as tokenizerEntry from "./tokenizer.js";\n${text}`, resolveDir: pkg };
    });
  },
};
const segmentsAtOnce = {
  name: "segments at once",
  setup(build) {
    // In a single file nothing is loaded later: a static import avoids wrapping the module.
    build.onLoad({ filter: /[\\/]pkg[\\/]object-makers\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8").replaceAll('await import("./stores/segments.js")', "segmentsEntry");
      return { contents: `import * as segmentsEntry from "./stores/segments.js";\n${text}`, resolveDir: pkg };
    });
  },
};
const GLUE = `import { Session } from "contextfold"; export const detectFormat = (input) => Session.__detectFormat(input);`;

/** Entries other than the main one and the integrations. */
const OTHERS = [...stores.map((name) => `${name}.js`), "transcript/node.js"];

export async function writeBundles() {
  for (const name of readdirSync(pkg)) if (name.endsWith(".bundle.js")) rmSync(join(pkg, name));
  await build({
    entryPoints: ["node.js", "transcript/node.js"].map((name) => join(pkg, name)),
    plugins: [tokenizerAtOnce],
    outdir: pkg,
    entryNames: "[dir]/[name].bundle",
    chunkNames: "shared-[hash].bundle",
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
  await writeCommonJs();
}

async function writeCommonJs() {
  rmSync(out, { recursive: true, force: true });
  await build({
    entryPoints: [join(pkg, "node.js")],
    plugins: [tokenizerAtOnce, segmentsAtOnce],
    outfile: join(out, "node.cjs"),
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    banner: { js: 'const entryUrl = new URL("../../node.js", require("node:url").pathToFileURL(__filename)).href;' },
    define: { "import.meta.url": "entryUrl" },
    logLevel: "warning",
  });
  const integrations = readdirSync(join(pkg, "integrations")).filter((name) => name.endsWith(".js"));
  // The other entries import the one module by its name.
  const byName = {
    name: "by name",
    setup(build) {
      build.onResolve({ filter: /^\.\.\/node\.js$/ }, () => ({ path: "contextfold", external: true }));
      build.onResolve({ filter: /^\.\.\/wasm\/contextfold_bg\.js$/ }, () => ({ path: "glue", namespace: "by-name" }));
      build.onLoad({ filter: /./, namespace: "by-name" }, () => ({ contents: GLUE, resolveDir: pkg }));
    },
  };
  const { outputFiles } = await build({
    entryPoints: [...integrations.map((name) => join(pkg, "integrations", name)), ...OTHERS.map((path) => join(pkg, path))],
    outdir: out,
    outbase: pkg,
    outExtension: { ".js": ".cjs" },
    chunkNames: "shared-[hash]",
    write: false,
    bundle: true,
    splitting: true, // esbuild can only do this for ES modules
    packages: "external",
    plugins: [byName],
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, { format: "cjs", platform: "node", target: "node20" });
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
  const written = new Set();
  for (const path of ["index.d.ts", ...stores.map((name) => `${name}.d.ts`), "transcript/index.d.ts", ...integrations.map((name) => `integrations/${name.replace(/\.js$/, ".d.ts")}`)])
    writeDeclarations(join(pkg, path), written);
}

/** Writes this declaration file and those that it imports to the same folders under cjs/. */
function writeDeclarations(file, written) {
  if (written.has(file)) return;
  written.add(file);
  const target = join(out, relative(pkg, file).replace(/\.d\.ts$/, ".d.cts"));
  const text = readFileSync(file, "utf8").replace(/(["'])(\.{1,2}\/[^"']+)\.js\1/g, (_, quote, path) => {
    const named = join(dirname(file), path);
    if (named === join(wasmDir, "contextfold")) return `${quote}${relative(dirname(target), named).replaceAll("\\", "/")}.cjs${quote}`; // one file for both
    writeDeclarations(`${named}.d.ts`, written);
    return `${quote}${path}.cjs${quote}`;
  });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
