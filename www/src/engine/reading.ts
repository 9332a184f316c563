// Reads a file's text and reports progress.

import type { Progress } from "./protocol";
import { TroubleError } from "./trouble";

/** Progress is reported for files of at least this many bytes. */
const LARGE = 2_000_000;

/** Reads a file as text; calls `tell` with the progress. */
export async function textOfFile(file: Blob, tell: (progress: Progress) => void): Promise<string> {
  if (file.size < LARGE) return decoded(await file.arrayBuffer());
  const bytes = new Uint8Array(file.size);
  const reader = file.stream().getReader();
  let at = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    bytes.set(value, at);
    at += value.length;
    tell({ doing: "Reading", share: at / file.size });
  }
  return decoded(bytes);
}

/** Decodes UTF-8, or UTF-16 if the file has its byte order mark, as some shells on Windows write it. */
function decoded(buffer: ArrayBuffer | Uint8Array<ArrayBuffer>): string {
  const bytes = new Uint8Array(buffer);
  const mark = `${bytes[0]},${bytes[1]}`;
  const encoding = mark === "255,254" ? "utf-16le" : mark === "254,255" ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new TroubleError({ title: "This is no text", detail: "The file is neither UTF-8 nor UTF-16. A transcript is JSON or JSON lines." });
  }
}
