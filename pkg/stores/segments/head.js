// The head: a small text that names all current items of a journal.
//
//   j1 VERSION POSITION COUNT.TOKEN COUNT.TOKEN … ~CHECKSUM
//
// VERSION names the snapshot, POSITION is its position, and each COUNT.TOKEN is a segment, the oldest first.

import { checksum } from "../frames.js";
import { readVersion, segmentOf, snapshotOf } from "./names.js";

const FORM = /^j1 (\S+) (\d{1,16})((?: [0-9a-z]{1,11}\.[0-9a-z]{8})*) ~([0-9a-f]{8})$/;

/** Beginnings of a head, which a process may have left that died while it wrote one. */
const BEGINNINGS = [/^j(1( [ 0-9a-z.-]*(~[0-9a-f]{0,7})?)?)?$/, /^v(\d*|\d+-[0-9a-fA-F]{0,15})$/];

/** Makes the head of a journal's state. */
export function headNaming(version, snapshotPosition, segments) {
  const { token } = readVersion(version);
  const words = ["j1", version, snapshotPosition, ...segments.map(({ from, to, token }) => `${(to - from).toString(36)}.${token}`)].join(" ");
  const last = segments.at(-1);
  return {
    text: `${words} ~${sumOf(words)}`,
    version,
    snapshotPosition,
    segments,
    position: last?.to ?? snapshotPosition,
    token: last?.token ?? token,
  };
}

/** Parses a head; `null` if the text is not valid. */
export function readHead(text) {
  const old = text.startsWith("v") ? readVersion(text) : null;
  if (old) return { ...headNaming(text, old.position, []), text };
  const [, version, position, listed, sum] = FORM.exec(text) ?? [];
  const snapshot = version ? readVersion(version) : null;
  if (!snapshot || sum !== sumOf(text.slice(0, -10))) return null;
  const segments = [];
  let [to, before] = [Number(position), snapshot.token];
  for (const word of listed.split(" ").filter(Boolean)) {
    const [count, token] = word.split(".");
    segments.push({ from: to, to: to + parseInt(count, 36), before, token });
    ({ to } = segments.at(-1));
    before = token;
  }
  return { ...headNaming(version, Number(position), segments), text };
}

/** Whether an invalid head may come from a process that died while it wrote one: it is empty, a beginning, or a file of zeros. */
export function isCutOff(text) {
  const written = text.replace(/\0+$/, "");
  return written === "" || BEGINNINGS.some((form) => form.test(written));
}

/** The names of the items that a head lists. */
export function itemsOf(key, head) {
  return [snapshotOf(key, head.version), ...head.segments.map((segment) => segmentOf(key, segment))];
}

/** Whether a head continues from the state of an earlier one, as far as can be seen from it. */
export function continuesFrom(head, earlier) {
  const states = [{ to: head.snapshotPosition, token: readVersion(head.version).token }, ...head.segments];
  return states.some(({ to, token }) => to === earlier.position && token === earlier.token);
}

function sumOf(words) {
  const bytes = new TextEncoder().encode(words);
  return checksum(bytes, 0, bytes.length)[0].toString(16).padStart(8, "0");
}
