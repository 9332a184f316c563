// The bytes of the asset, for `loadEncoding("cl100k_base", bytes)`.

const { readFileSync } = require("node:fs");
const { join } = require("node:path");

module.exports = new Uint8Array(readFileSync(join(__dirname, "cl100k_base.bin")));
