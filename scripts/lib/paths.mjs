// Paths and the environment for commands.

import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const wasmDir = join(root, "pkg/wasm");
export const targetDir = resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
/** Notes about finished work: what was installed, and from what it was built. Deleted together with node_modules. */
export const notesDir = join(root, "node_modules/.cache/contextfold");

const cargoBin = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin");

/** The environment for every command: cargo's programs and our npm programs are on PATH. */
export const env = {
  ...process.env,
  PATH: [join(root, "node_modules/.bin"), cargoBin, process.env.PATH].join(delimiter),
};
