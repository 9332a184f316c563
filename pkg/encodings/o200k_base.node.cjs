// The bytes of the asset, for `loadEncoding("o200k_base", bytes)`.

const { readFileSync } = require("node:fs");
const { join } = require("node:path");

module.exports = new Uint8Array(readFileSync(join(__dirname, "o200k_base.bin")));
