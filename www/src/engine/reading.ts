// A file's text, with progress.

import type { Progress } from "./protocol";
import { TroubleError } from "./trouble";

/** Files of more bytes than this show how far they have been read. */
const LARGE = 2_000_000;

/** Reads a file as UTF-8 and tells of it. */
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

function decoded(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new TroubleError({ title: "This is no text", detail: "The file is not UTF-8. A transcript is JSON or JSON lines." });
  }
}
