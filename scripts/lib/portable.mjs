// Makes builds reproducible: the same bytes on every machine, without that machine's paths.

import { homedir } from "node:os";
import { join } from "node:path";
import { root } from "./paths.mjs";
import { output } from "./run.mjs";

/** Flags that make rustc replace the paths of this folder, of cargo's home and of its own sources by fixed names. */
export function remapFlags({ from = root, cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo"), sysroot = output("rustc", ["--print", "sysroot"]) } = {}) {
  const places = [
    [cargoHome, "cargo"],
    [sysroot, "rust"],
    [from.replace(/[\\/]$/, ""), "contextfold"], // last: if several prefixes match, rustc uses the last
  ];
  return places.flatMap(([path, name]) => (path ? [`--remap-path-prefix=${path}=${name}`] : []));
}

/** An environment in which cargo builds with these flags in addition to those already set. */
export function remapped(env, flags = remapFlags()) {
  const told = env.CARGO_ENCODED_RUSTFLAGS?.split("\x1f") ?? env.RUSTFLAGS?.split(" ").filter(Boolean) ?? [];
  return { ...env, CARGO_ENCODED_RUSTFLAGS: [...told, ...flags].join("\x1f") };
}

/**
 * The precompiled standard library names its sources by its commit (`/rustc/<commit>/library/…`). Replaces the part before the library's
 * own path by dots, keeping its length, because the module stores where each text begins and how long it is.
 */
export function withoutCommit(bytes) {
  const text = Buffer.from(bytes).toString("latin1");
  return Buffer.from(text.replace(/\/rustc\/[0-9a-f]{40}\/(?=library\/)/g, (prefix) => ".".repeat(prefix.length)), "latin1");
}
