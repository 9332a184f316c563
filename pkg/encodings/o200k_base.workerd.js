// The bytes of the asset, for `loadEncoding("o200k_base", bytes)`: in Cloudflare Workers an imported .bin is an ArrayBuffer.

import buffer from "./o200k_base.bin";

export default new Uint8Array(buffer);
