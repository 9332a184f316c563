// The bytes of the asset, for `loadEncoding("o200k_base", bytes)`.

import { readFileSync } from "node:fs";

export default new Uint8Array(readFileSync(new URL("./o200k_base.bin", import.meta.url)));
