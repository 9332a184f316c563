// A hash over files and folders, to know whether work has to be done again.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";

/** The hash of these paths (relative to the root), over names and contents. A missing path changes the hash, too. */
export function hashOf(paths) {
  const hash = createHash("sha256");
  const add = (path) => {
    const full = join(root, path);
    if (!existsSync(full)) hash.update(`${path}\0missing\0`);
    else if (statSync(full).isDirectory()) for (const name of readdirSync(full).sort()) add(`${path}/${name}`);
    else hash.update(`${path}\0`).update(readFileSync(full)).update("\0");
  };
  paths.forEach(add);
  return hash.digest("hex");
}
