// Puts the package, as npm packs it, next to the SDKs, where it finds them as in any user's project.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));

/** Where tests/integrations/run.mjs places it. */
export const placed = join(here, "node_modules/contextfold");

export function placePackage(folder = here) {
  const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const target = join(folder, "node_modules/contextfold");
  rmSync(target, { recursive: true, force: true });
  const [{ files }] = Object.values(JSON.parse(listed));
  for (const { path } of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(root, path), join(target, path));
  }
  return target;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) placePackage();
