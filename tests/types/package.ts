// Compiled, not run: what a TypeScript user may write, and what must be refused.

import init, { ContextError, type ErrorCode, init as named, loadEncoding, version } from "contextfold";
import bytes from "contextfold/encodings/o200k_base";
import binary from "contextfold/encodings/o200k_base.bin";
import url from "contextfold/wasm";

const text: string = version();
await init();
await named(new URL("https://host.invalid/contextfold_bg.wasm"));
await init(new Uint8Array(8));
await init(new URL(url, import.meta.url)); // as esbuild's loader `file` passes it on …
await init(url); // … and `binary`
const encoding = loadEncoding("o200k_base", binary);
const asset: Uint8Array = bytes;
// @ts-expect-error null is not a source
await init(null);

try {
  console.log(text, asset, await encoding);
} catch (error) {
  if (ContextError.isInstance(error)) {
    const code: ErrorCode = error.code;
    // @ts-expect-error the code is fixed
    error.code = code;
    // @ts-expect-error no such code
    const wrong: ErrorCode = "NO_SUCH_CODE";
    console.log(wrong, error.cause, error.message);
  }
}
