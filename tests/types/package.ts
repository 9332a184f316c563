// Compiled, not run: what a TypeScript user may write, and what must be refused.

import init, { ContextError, type ErrorCode, init as named, version } from "contextfold";
import initInline, { version as inlineVersion } from "contextfold/inline";

const text: string = version() + inlineVersion();
await init();
await named(new URL("https://host.invalid/contextfold_bg.wasm"));
await initInline(new Uint8Array(8));
// @ts-expect-error null is no source
await init(null);

try {
  console.log(text);
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
