// The bytes of the asset, for `loadEncoding("cl100k_base", bytes)`, fetched from next to this file.

import { bytesOf } from "./fetched.js";

export default await bytesOf(new URL("./cl100k_base.bin", import.meta.url));
