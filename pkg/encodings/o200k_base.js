// The bytes of the asset, for `loadEncoding("o200k_base", bytes)`, fetched from next to this file.

import { bytesOf } from "./fetched.js";

export default await bytesOf(new URL("./o200k_base.bin", import.meta.url));
