// Bundles what Node loads into few files, because each file costs a third of a millisecond.
//
//   pkg/**/node.bundle.js   the Node entries: all of the first one's code in one file, from which the other imports
//   pkg/wasm/cjs            the CommonJS versions: of the Node entry, which reads the .wasm file beside the ESM one; and of all others,
//                           which import that one by name and have their shared code in files of their own. Also the declarations as
//                           .d.cts, because TypeScript takes a .d.ts of this package for ESM.

import { build, transform } from "esbuild";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root, wasmDir } from "./paths.mjs";
import { stores } from "./stores.mjs";

const pkg = join(root, "pkg");
const out = join(wasmDir, "cjs");

/** In a file that is loaded as a whole, nothing is loaded later: a dynamic import would only wait for Node's loader. */
const atOnce = {
  name: "at once",
  setup(build) {
    build.onLoad({ filter: /[\\/]pkg[\\/](?:exports|host[\\/]store)\.js$/ }, ({ path }) => {
      let imported = "";
      const text = readFileSync(path, "utf8").replace(/\(?await import\(("[^"]+")\)\)?/g, (_, from) => {
        imported = `import * as entry from ${from};`; // each of the two files has one
        return "entry";
      });
      return { contents: `${imported}\n${text}`, resolveDir: dirname(path) };
    });
  },
};

/** Entries other than the main one and the integrations. */
const OTHERS = [...stores.map((name) => `${name}.js`), "transcript/node.js"];

const NODE = { bundle: true, platform: "node", target: "node20", logLevel: "warning" };
const MAIN = { ...NODE, entryPoints: [join(pkg, "node.js")], plugins: [atOnce] };

/** The other entries import the one module from where it is. */
const mainFrom = (where) => ({
  name: "main from",
  setup(build) {
    build.onResolve({ filter: /^\.\.\/node\.js$/ }, () => ({ path: where, external: true }));
    build.onResolve({ filter: /^\.\.\/wasm\/contextfold_bg\.js$/ }, () => ({ path: "glue", namespace: "main" }));
    build.onLoad({ filter: /./, namespace: "main" }, () => ({ contents: `import { Session } from "../node.js"; export const detectFormat = (input) => Session.__detectFormat(input);`, resolveDir: pkg }));
  },
});

export async function writeBundles() {
  for (const name of readdirSync(pkg)) if (name.endsWith(".bundle.js")) rmSync(join(pkg, name));
  await build({ ...MAIN, format: "esm", outfile: join(pkg, "node.bundle.js") });
  await build({ ...NODE, entryPoints: [join(pkg, "transcript/node.js")], plugins: [mainFrom("../node.bundle.js")], format: "esm", outfile: join(pkg, "transcript/node.bundle.js") });
  await writeCommonJs();
}

async function writeCommonJs() {
  rmSync(out, { recursive: true, force: true });
  await build({
    ...MAIN,
    outfile: join(out, "node.cjs"),
    format: "cjs",
    banner: { js: 'const entryUrl = new URL("../../node.js", require("node:url").pathToFileURL(__filename)).href;' },
    define: { "import.meta.url": "entryUrl" },
  });
  const integrations = readdirSync(join(pkg, "integrations")).filter((name) => name.endsWith(".js"));
  const { outputFiles } = await build({
    ...NODE,
    entryPoints: [...integrations.map((name) => join(pkg, "integrations", name)), ...OTHERS.map((path) => join(pkg, path))],
    outdir: out,
    outbase: pkg,
    outExtension: { ".js": ".cjs" },
    chunkNames: "shared-[hash]",
    write: false,
    splitting: true, // esbuild can only do this for ES modules
    packages: "external",
    plugins: [mainFrom("contextfold")],
    format: "esm",
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
