// The package contains the licences of everything in the modules.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import { run } from "./consumer.mjs";

const notices = readFileSync(join(root, "pkg/THIRD-PARTY-NOTICES.txt"), "utf8");

/** The crates that cargo links, according to its tree. */
const linked = ["contextfold", "tokenizer"].flatMap((ours) =>
  run("cargo", ["tree", "--locked", "--target", "wasm32-unknown-unknown", "--package", ours, "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"])
    .split("\n")
    .filter((line) => line && !line.includes("("))
    .map((line) => line.replace(" v", " ").trim()),
);

test("every crate in the modules is named above the text of its licence", () => {
  assert.ok(linked.length > 20);
  const sections = notices.split(`\n${"-".repeat(80)}\n`);
  for (const crate of new Set(linked)) {
    const texts = sections.filter((section) => section.trim().split("\n")[0].split(", ").includes(crate));
    assert.ok(texts.some((text) => /permission|permitted/i.test(text) && /copyright|without any express or implied warranty/i.test(text)), crate);
  }
});

test("so are the standard library and the vocabularies, with the MIT and Unicode terms", () => {
  for (const words of [/^Rust's standard library/m, /^The vocabularies in pkg\/encodings/m, /OpenAI/, /UNICODE LICENSE V3/, /DATA FILES \("DATA FILES"\)/]) assert.match(notices, words);
});
