// Lets Node import .ts files, whatever its version: `node --import ./scripts/lib/typescript-loader.mjs …`.

import { register } from "node:module";

register("./typescript-hooks.mjs", import.meta.url);
