// The package as npm packs it, installed in another folder.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { coreOf } from "../../scripts/lib/core.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { installPacked, run } from "./consumer.mjs";

let tarball, consumer, installed, remove;
before(() => ({ tarball, consumer, installed, remove } = installPacked()));
after(() => remove());

test("every file that package.json names is included, and nothing unintended", () => {
  const packed = readdirSync(installed, { recursive: true }).map((path) => path.replaceAll("\\", "/"));
  const manifest = readFileSync(join(root, "package.json"), "utf8");
  const named = [...manifest.matchAll(/"\.?\/?(pkg\/[\w./-]+\.\w+)"/g)].map(([, path]) => path);
  assert.ok(named.length > 10);
  for (const path of [...named, "pkg/wasm/contextfold.d.ts", "pkg/wasm/contextfold.d.cts", "pkg/THIRD-PARTY-NOTICES.txt", "README.md", "LICENSE-MIT", "LICENSE-APACHE"])
    assert.ok(packed.includes(path), `${path} is missing`);
  for (const path of packed) {
    assert.match(path, /^(pkg(\/|$)|docs(\/|$)|README\.md$|CHANGELOG\.md$|LICENSE-|package\.json$)/, path);
    assert.doesNotMatch(path, /(^|\/)(\.gitignore|\.DS_Store|node_modules)$|.\/package\.json$/, path);
  }
});

const PROGRAM = `
  if (typeof version() !== "string") throw new Error("no version");
  init().then(() => console.log(version()));`;
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

test("import works", () => {
  const program = `import init, { version } from "contextfold"; ${PROGRAM}`;
  assert.equal(run("node", ["--input-type=module", "--eval", program], { cwd: consumer }).trim(), version);
});

test("require works", () => {
  const program = `const { default: init, version } = require("contextfold"); ${PROGRAM}`;
  assert.equal(run("node", ["--input-type=commonjs", "--eval", program], { cwd: consumer }).trim(), version);
});

test("the .wasm is reachable by name", () => {
  const program = `console.log(require.resolve("contextfold/wasm"))`;
  const path = run("node", ["--input-type=commonjs", "--eval", program], { cwd: consumer }).trim();
  assert.equal(readFileSync(path).subarray(0, 4).toString("latin1"), "\0asm");
});

// The sizes after the last deliberate change plus three per cent. If a change exceeds one, look for what has grown (a type for which
// another sort, map or table is compiled, a dependency) before raising the figure.
const MOST_KIB = {
  "contextfold_bg.wasm": { download: 1045, compiled: 3930 },
  // The part that Node loads on import: the 300 that PERF-6 allows, plus two more formats. First pushes of all formats are 7 % of it.
  core: { download: 316, compiled: 1025 },
  // For files that most models have, and for all files.
  "tokenizer-bpe.wasm": { download: 158, compiled: 512 },
  "tokenizer.wasm": { download: 297, compiled: 1030 },
};

for (const [name, most] of Object.entries(MOST_KIB))
  test(`${name} has not grown unnoticed`, () => {
    const read = (name) => readFileSync(join(installed, "pkg/wasm", name));
    const bytes = name === "core" ? coreOf(read("contextfold_bg.wasm")) : read(name);
    const download = brotliCompressSync(bytes).length;
    assert.ok(download <= most.download * 1024, `${(download / 1024).toFixed(1)} KiB with brotli`);
    assert.ok(bytes.length <= most.compiled * 1024, `${(bytes.length / 1024).toFixed(1)} KiB`);
  });

test("the package has not grown unnoticed", () => {
  const { size } = statSync(tarball);
  assert.ok(size <= 3_900_000, `${(size / 1e6).toFixed(2)} MB packed`);
});

test("a strict TypeScript project compiles against it", () => {
  writeFileSync(join(consumer, "esm.mts"), 'import { version } from "contextfold";\nconst text: string = version();\nconsole.log(text);\n');
  writeFileSync(join(consumer, "cjs.cts"), 'import { version } from "contextfold";\nconst text: string = version();\nconsole.log(text);\n');
  const options = ["--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom"];
  for (const [module, resolution, files] of [
    ["nodenext", "nodenext", ["esm.mts", "cjs.cts"]],
    ["esnext", "bundler", ["esm.mts"]],
  ])
    run("tsc", [...options, "--module", module, "--moduleResolution", resolution, ...files], { cwd: consumer });
});

test("publint finds nothing", () => {
  run("publint", ["run", tarball, "--strict"]);
});

test("the types resolve the same way as the code (attw)", () => {
  run("attw", [tarball, "--profile", "node16", "--exclude-entrypoints", "wasm", "--ignore-rules", "cjs-resolves-to-esm", "--no-emoji"]);
});
