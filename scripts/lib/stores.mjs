// The stores in the package, from the exports in package.json.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Paths under pkg without extension: `stores/memory`, … */
export const stores = Object.keys(exports)
  .filter((entry) => entry.startsWith("./stores/"))
  .map((entry) => entry.slice(2));
