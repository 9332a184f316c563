// The streams of the process: the report to one, progress and errors to the other.

import { columnsOf, painter, wantsColor } from "./paint.js";

/** `{ color, paint, width }` for what goes to this stream. */
export function style(stream, flags = {}) {
  const color = wantsColor(stream, { noColor: flags["no-color"] });
  return { color, paint: painter(color), width: columnsOf(stream) };
}

/** Writes one line over the last while something is under way; silent unless standard error is a terminal. */
export function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text && `${text} …`}`);
}

export const print = (text) => process.stdout.write(text);
/** For `JSON.stringify`: bytes as an API has them, in base64. */
export function onWire(key, value) {
  const own = this[key];
  return ArrayBuffer.isView(own) ? Buffer.from(own.buffer, own.byteOffset, own.byteLength).toString("base64") : value;
}

export const printJson = (value) => print(`${JSON.stringify(value, onWire, 2)}\n`);

/** A reader that went away (`| head`) is no error of ours; a disk that is full is told. */
export function forgiveClosedPipe(stream, tell) {
  stream.on("error", (error) => {
    if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
    process.exit(tell(error));
  });
}
