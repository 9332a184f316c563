// The module is the same wherever it is built, and contains no path of the machine that built it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { isBuilt } from "../../scripts/lib/built.mjs";
import { env, root, wasmDir } from "../../scripts/lib/paths.mjs";
import { remapFlags, remapped, withoutCommit } from "../../scripts/lib/portable.mjs";
import { output } from "../../scripts/lib/run.mjs";

const folder = mkdtempSync(join(tmpdir(), "contextfold-portable-"));
after(() => rmSync(folder, { recursive: true }));

const PATHS = /\/(?:root|home|Users|rustc)\/[\w./-]+?\.rs/g;
const packageDir = join(root, "pkg");
const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
/** Folders of the building machine, and the names that cargo and rustup give theirs on any machine. */
const FOLDERS = [homedir(), root, cargoHome, output("rustc", ["--print", "sysroot"])].filter((folder) => folder && folder !== "/").map((folder) => `${folder.replace(/[\\/]$/, "")}/`);
const ANYWHERE = /(?:\/|\\)\.(?:cargo|rustup)(?:\/|\\)/g;

/** The builder's folders named in a file. */
const named = (path) => {
  const text = readFileSync(path, "latin1");
  return [...FOLDERS.filter((folder) => text.includes(folder)), ...new Set(text.match(ANYWHERE) ?? []), ...new Set(text.match(PATHS) ?? [])];
};

test("the built modules contain no path of their builder", { skip: !isBuilt() && "this is no release build" }, () => {
  const modules = readdirSync(wasmDir).filter((name) => name.endsWith(".wasm"));
  assert.deepEqual(modules.sort(), ["contextfold_bg.wasm", "tokenizer-bpe.wasm", "tokenizer.wasm"]);
  for (const name of modules) assert.deepEqual(named(join(wasmDir, name)), [], name);
});

test("nor does any other file of the package", () => {
  const files = readdirSync(packageDir, { recursive: true }).filter((name) => /\.(?:[cm]?js|[cm]?ts|json)$/.test(name));
  assert.ok(files.length > 50);
  for (const name of files) assert.deepEqual(named(join(packageDir, name)), [], name);
});

test("a file that contains one is found", () => {
  const path = join(folder, "named.wasm");
  for (const place of [...FOLDERS, "/somewhere/.cargo/registry/src/", "/home/a/b.rs"]) {
    writeFileSync(path, Buffer.concat([Buffer.from([0, 0xff]), Buffer.from(`${place}x`)]));
    assert.notDeepEqual(named(path), [], place);
  }
});

/** A small crate with a dependency, both of which panic with their locations, built like the release. */
function built(name, flags) {
  const at = join(folder, name);
  for (const part of ["src", "inner/src"]) mkdirSync(join(at, part), { recursive: true });
  writeFileSync(join(at, "Cargo.toml"), `[package]\nname = "small"\nversion = "0.1.0"\nedition = "2024"\n[lib]\ncrate-type = ["cdylib"]\n[dependencies]\ninner = { path = "inner" }\n[profile.release]\nlto = "fat"\ncodegen-units = 1\npanic = "abort"\nstrip = "debuginfo"\n[workspace]\n`);
  writeFileSync(join(at, "inner/Cargo.toml"), `[package]\nname = "inner"\nversion = "0.1.0"\nedition = "2024"\n`);
  writeFileSync(join(at, "inner/src/lib.rs"), "pub fn at(list: &Vec<u32>, at: usize) -> u32 {\n    list[at]\n}\n");
  writeFileSync(join(at, "src/lib.rs"), "#[unsafe(no_mangle)]\npub extern \"C\" fn run(n: usize) -> u32 {\n    let list: Vec<u32> = (0..n as u32).collect();\n    inner::at(&list, n / 2) + list[n - 1] + file!().len() as u32\n}\n");
  const { status, stderr } = spawnSync("cargo", ["build", "--release", "--offline", "--target", "wasm32-unknown-unknown"], { cwd: at, env: flags(at), encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return readFileSync(join(at, "target/wasm32-unknown-unknown/release/small.wasm"));
}

test("builds in two folders give the same bytes, which name neither folder", () => {
  const { CARGO_TARGET_DIR: _, ...own } = env;
  const portable = (at) => remapped(own, remapFlags({ from: at }));
  const [one, other] = ["one", "another-and-longer"].map((name) => withoutCommit(built(name, portable)));
  assert.ok(one.equals(other), "the bytes differ");
  assert.doesNotMatch(one.toString("latin1"), PATHS);
  assert.ok(!one.toString("latin1").includes(folder));
  assert.match(built("as-it-is", () => own).toString("latin1"), PATHS, "or this test shows nothing");
});

test("blanked paths keep their length, and nothing else changes", () => {
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const bytes = Buffer.concat([Buffer.from([0, 0xff, 0x80]), Buffer.from(`x/rustc/${commit}/library/core/src/a.rs/rustc/short/library/`)]);
  const blanked = withoutCommit(bytes);
  assert.equal(blanked.length, bytes.length);
  assert.equal(blanked.subarray(3).toString(), `x${".".repeat(48)}library/core/src/a.rs/rustc/short/library/`);
  assert.deepEqual([...blanked.subarray(0, 3)], [0, 0xff, 0x80]);
});
