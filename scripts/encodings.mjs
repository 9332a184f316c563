// Packs the vocabularies of the exact encodings from tiktoken-rs: pkg/encodings/*.bin. Skips what is up to date.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { hashOf } from "./lib/hash.mjs";
import { readNote, writeNote } from "./lib/notes.mjs";
import { root } from "./lib/paths.mjs";
import { must } from "./lib/run.mjs";

const OUT = "pkg/encodings";
const INPUTS = ["scripts/vocabulary", "scripts/encodings.mjs", "Cargo.lock"];
const OUTPUTS = ["o200k_base.bin", "cl100k_base.bin", "p50k_base.bin"].map((name) => `${OUT}/${name}`);
const state = () => `${hashOf(INPUTS)} ${hashOf(OUTPUTS)}`;

if (readNote("encodings") !== state()) {
  rmSync(join(root, OUT, "r50k_base.bin"), { force: true }); // left by older builds
  must("cargo", ["run", "--quiet", "--locked", "--package", "vocabulary", "--", "assets", OUT]);
  writeNote("encodings", state());
}
