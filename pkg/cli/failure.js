// Failures of the command line: a code, one line that says what to do, and an exit code.

import { ContextError } from "contextfold";

export const EXIT = Object.freeze({ fine: 0, overLimit: 1, violations: 1, usage: 2, unreadable: 3, unwritable: 4 });

export class Failure extends Error {
  constructor(exitCode, code, message) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

export const usage = (message, command) =>
  new Failure(EXIT.usage, "USAGE", `${message} (see contextfold ${command ? `${command} ` : ""}--help)`);

/** Describes why a file could not be read. */
export const whyUnreadable = (error) =>
  ({ ENOENT: "no such file", ENOTDIR: "no such file", EISDIR: "it is a folder", EACCES: "permission denied", EPERM: "permission denied", EAGAIN: "nothing was piped in", ERR_FS_FILE_TOO_LARGE: "it is larger than 2 GiB" })[error.code] ??
  error.code ??
  error.message;

const WHY_UNWRITABLE = {
  ENOENT: "no such folder",
  ENOTDIR: "part of the path is not a folder",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "read-only",
  ENAMETOOLONG: "the name is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "it exceeds the maximum file size there",
  EIO: "the disk failed",
};

/** The output could not be written. */
export const failedToWrite = (name, error) => new Failure(EXIT.unwritable, "UNWRITABLE", `cannot write ${name}: ${WHY_UNWRITABLE[error.code] ?? error.code ?? error.message}`);

export const unreadable = (message) => new Failure(EXIT.unreadable, "UNREADABLE", message);

// The engine's codes for misuse, and for wrong input.
const MISUSED = new Set(["INVALID_CONFIG", "INVALID_ARGUMENT", "UNKNOWN_MODEL"]);
const UNREADABLE = new Set(["INVALID_MESSAGE", "ENCODING_INVALID", "ENCODING_UNSUPPORTED", "SNAPSHOT_INVALID", "SNAPSHOT_TOO_NEW", "STORE_FAILED", "UNKNOWN_REF"]);

/** Converts any thrown value to a `Failure` with a readable message, without a stack trace. */
export function asFailure(thrown) {
  if (thrown instanceof Failure) return thrown;
  if (!ContextError.isInstance(thrown))
    return new Failure(
      EXIT.overLimit,
      "INTERNAL",
      `this is a bug in contextfold, please report it: ${oneLine(thrown?.message ?? thrown)}`,
    );
  const { code } = thrown;
  const exitCode = MISUSED.has(code) ? EXIT.usage : UNREADABLE.has(code) ? EXIT.unreadable : EXIT.overLimit;
  return new Failure(exitCode, code, inFlags(oneLine(thrown.message), code));
}

// The engine's messages name options; the user typed flags.
const FLAGS = [
  [/`contextWindow`/g, "--window"],
  [/`reservedOutputTokens`/g, "--reserve"],
  [/`(compaction\.)?thresholdRatio`/g, "--threshold-ratio"],
  [/`ladder`(?=:)/g, "--preset"], // where the message names the option: one of the presets is called `ladder`, too
  [/`tokenizer`/g, "--tokenizer"],
  [/`priceAs`/g, "--price-as"],
  [/`prices`/g, "--prices"],
  [/the result of `loadEncoding` or `loadTokenizer`, or a function from text to a number/g, "o200k_base or cl100k_base"],
  [/add a row to `models`, .*--window/g, "leave --model out and set its context window with --window"],
  [/`models`/g, "--models"],
];

function inFlags(message, code) {
  if (!MISUSED.has(code)) return message;
  return FLAGS.reduce((text, [option, flag]) => text.replace(option, flag), message);
}

const oneLine = (text) => String(text).replace(/\s+/g, " ").trim();
