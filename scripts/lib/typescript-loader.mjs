// Lets any version of Node import .ts files: `node --import ./scripts/lib/typescript-loader.mjs …`.

import { register } from "node:module";

register("./typescript-hooks.mjs", import.meta.url);
