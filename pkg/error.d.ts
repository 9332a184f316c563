import type { ErrorCode, Report } from "./wasm/contextfold.js";

/** The error that every function of this package throws or rejects with. */
export declare class ContextError extends Error {
  constructor(code: ErrorCode, message: string, details?: { cause?: unknown; report?: Report | undefined });
  /** What went wrong. Codes are stable across versions. */
  readonly code: ErrorCode;
  /** The original error or value that a callback or a store threw. */
  readonly cause?: unknown;
  /** If a compaction or a `prepare` failed: the report of what was tried. */
  readonly report?: Report;
  /**
   * Whether `error` is a `ContextError`, even of another copy of this package (ESM and CommonJS, the main entry and a store).
   * `instanceof` returns the same.
   */
  static isInstance(error: unknown): error is ContextError;
}
