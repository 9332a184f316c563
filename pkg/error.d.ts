import type { ErrorCode, Report } from "./wasm/contextfold.js";

/** What every function of this package throws or rejects with. */
export declare class ContextError extends Error {
  constructor(code: ErrorCode, message: string, details?: { cause?: unknown; report?: Report });
  /** What went wrong: stable from version to version. */
  readonly code: ErrorCode;
  /** What a callback or a store threw, as it was thrown. */
  readonly cause?: unknown;
  /** What was tried, if a compaction or a `prepare` failed. */
  readonly report?: Report;
  /** The same as `instanceof`, which also holds between two copies of this package (ESM and CommonJS, the main entry and a store). */
  static isInstance(error: unknown): error is ContextError;
}
