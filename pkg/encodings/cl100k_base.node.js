// The bytes of the asset, for `loadEncoding("cl100k_base", bytes)`.

import { readFileSync } from "node:fs";

export default new Uint8Array(readFileSync(new URL("./cl100k_base.bin", import.meta.url)));
