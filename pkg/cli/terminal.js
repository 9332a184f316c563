// The process's streams: the report goes to standard output, progress and errors go to standard error.

import { columnsOf, painter, wantsColor } from "./paint.js";

/** `{ color, paint, width }` for output to this stream. */
export function style(stream, flags = {}) {
  const color = wantsColor(stream, { noColor: flags["no-color"] });
  return { color, paint: painter(color), width: columnsOf(stream) };
}

/** Replaces the progress line on standard error; silent unless that is a terminal. */
export function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text && `${text} …`}`);
}

export const print = (text) => process.stdout.write(text);
/** A replacer for `JSON.stringify`: writes bytes in base64, as APIs have them. */
export function onWire(key, value) {
  const own = this[key];
  return ArrayBuffer.isView(own) ? Buffer.from(own.buffer, own.byteOffset, own.byteLength).toString("base64") : value;
}

export const printJson = (value) => print(`${JSON.stringify(value, onWire, 2)}\n`);

/** Ends quietly if the reader of a pipe is gone (`| head`). Other errors, such as a full disk, are reported. */
export function forgiveClosedPipe(stream, tell) {
  stream.on("error", (error) => {
    if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
    process.exit(tell(error));
  });
}
