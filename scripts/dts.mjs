// Compares the generated types with their reference copy, so that a change of the public API shows in a diff.
// `npm run dts:update` copies the generated types to the reference.

import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root, wasmDir } from "./lib/paths.mjs";
import { fail, output } from "./lib/run.mjs";

const generated = join(wasmDir, "contextfold.d.cts");
const reference = join(root, "tests/reference/contextfold.d.ts");

if (process.argv.includes("--update")) {
  copyFileSync(generated, reference);
} else if (readFileSync(generated, "utf8") !== readFileSync(reference, "utf8")) {
  console.error(output("diff", ["-u", reference, generated], { anyStatus: true }) ?? "");
  fail("the generated types differ from tests/reference/contextfold.d.ts; if that is meant, `npm run dts:update`");
}
