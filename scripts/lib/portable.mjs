// The same bytes wherever the module is built: without the paths of the machine that built it.

import { homedir } from "node:os";
import { join } from "node:path";
import { root } from "./paths.mjs";
import { output } from "./run.mjs";

/** Flags by which rustc names its sources from this folder, from cargo's home and from its own as if they lay elsewhere. */
export function remapFlags({ from = root, cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo"), sysroot = output("rustc", ["--print", "sysroot"]) } = {}) {
  const places = [
    [cargoHome, "cargo"],
    [sysroot, "rust"],
    [from.replace(/[\\/]$/, ""), "contextfold"], // last: where several are right, rustc takes the last
  ];
  return places.flatMap(([path, name]) => (path ? [`--remap-path-prefix=${path}=${name}`] : []));
}

/** An environment in which cargo builds with these flags beside those that it is told already. */
export function remapped(env, flags = remapFlags()) {
  const told = env.CARGO_ENCODED_RUSTFLAGS?.split("\x1f") ?? env.RUSTFLAGS?.split(" ").filter(Boolean) ?? [];
  return { ...env, CARGO_ENCODED_RUSTFLAGS: [...told, ...flags].join("\x1f") };
}

/**
 * The standard library comes compiled, and names its sources by the commit that it was made of (`/rustc/<commit>/library/…`). What
 * stands before the library's own path is blanked, as long as it was: the module knows where each text begins and how long it is.
 */
export function withoutCommit(bytes) {
  const text = Buffer.from(bytes).toString("latin1");
  return Buffer.from(text.replace(/\/rustc\/[0-9a-f]{40}\/(?=library\/)/g, (prefix) => ".".repeat(prefix.length)), "latin1");
}
