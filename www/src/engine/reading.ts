// A file's text, with progress.

import type { Progress } from "./protocol";
import { TroubleError } from "./trouble";

/** Files of more bytes than this show how far they have been read. */
const LARGE = 2_000_000;

/** Reads a file as text and tells of it. */
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

/** UTF-8, or UTF-16 where the file says so at its beginning, as some shells on Windows write it. */
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
