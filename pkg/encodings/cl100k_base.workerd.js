// The bytes of the asset, for `loadEncoding("cl100k_base", bytes)`: in Cloudflare Workers an imported .bin is an ArrayBuffer.

import buffer from "./cl100k_base.bin";

export default new Uint8Array(buffer);
