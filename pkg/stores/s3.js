// Journals and items in S3, or in a compatible server with conditional writes.
//
// S3 cannot append. A journal is one small object, its *head*, and *parts*: the snapshot, and segments of records. The head names the
// parts and holds the last records itself, up to TAIL bytes. Beyond that, these records become a segment, merged with the segments
// before it that are less than twice as long. So each segment is at least twice as long as the next one, up to SEGMENT bytes; longer
// ones are not merged any more: 10,000 records of 1.2 kB are some 12 segments. An append is one PUT of the head. About every 50th
// append of 1.2 kB needs one more PUT, for the segment, and on average a GET and a DELETE. A reader that lacks only the last records
// reads only the head.
//
// Why writers do not overwrite each other, and an append and a replacement cannot both succeed: each change of a journal takes effect
// with one conditional PUT of the head, over the etag that was read (or if there is none), and S3 accepts only one of those. Each head
// contains a revision and a random mark, so no two heads are alike, and no etag repeats. (With one object for each append, made only if
// there is none, no head would be needed. But a replacement writes another object, so both could succeed, and if the old records are
// removed, a late writer could reuse the name of one of them.)
//
// Why a reader sees a consistent journal: parts have unique names, are written before the head that names them, and never change. They
// are removed only after a new head that does not name them was written. A reader that finds a part missing reads the head again.
//
// Why no part is removed that a later head will name: a part's name begins with the revision of the head that its writer is about to
// write. After a head of revision r, parts of revisions up to r are removed unless that head names them. Their writers had read a head
// before r, so their own PUT of a head will fail. If a journal is removed and a new one begins under its key, the parts of the two are
// in folders with different random names.

import { conflict } from "./conflict.js";
import { startBehind } from "./frames.js";
import { optionsOf } from "./options.js";
import { objectsOf } from "./s3-objects.js";

/** At most this many bytes of records stay in the head. */
const TAIL = 65_536;
/** Segments of this many bytes or more are not merged any more. */
const SEGMENT = 1_048_576;
/** How many times an operation is tried while others save in between. */
const MAX_TRIES = 8;
/** A head keeps this many marks. If an answer was lost, a writer recognises its own head by them, even if others have written since. */
const MARKS = 16;
/** How many heads are remembered for the next append; each may have `TAIL` bytes. */
const REMEMBERED = 64;
/** `remove` deletes other parts without a head only if they are older than this, because somebody may be about to write their head. */
const ABANDONED_MS = 24 * 3600 * 1000;

export function s3Store(options) {
  const { prefix = "", ...access } = optionsOf(options, { client: "any", commands: "any", bucket: "name", endpoint: "name", prefix: "text" });
  const objects = objectsOf(access);
  const heads = `${prefix}journals/`;
  const items = itemsOf(objects, `${prefix}items/`);
  const folder = (key) => `${prefix}parts/${nameOf(key)}/`;
  const part = (key, head, name) => `${folder(key)}${head.journal}/${name}`;
  const known = new Map();

  function remember(key, head) {
    known.delete(key);
    if (head) known.set(key, head);
    if (known.size > REMEMBERED) known.delete(known.keys().next().value);
    return head;
  }

  async function readHead(key) {
    const there = await objects.get(heads + nameOf(key));
    return remember(key, there && readFrom(there));
  }

  /** Writes the head that `next` makes from the current one, which must be at the position `expected`. */
  async function change(key, expected, next) {
    const mark = random();
    let head = known.get(key);
    if (expected === null || head?.position !== expected) head = await readHead(key);
    for (let turn = 1; turn <= MAX_TRIES; turn++) {
      if (head?.marks.includes(mark)) return head; // an earlier attempt succeeded, but its answer was lost
      if ((head?.position ?? null) !== expected) throw conflict(key, expected, head?.position ?? null);
      const revision = (head?.revision ?? 0) + 1;
      const made = await next(head, revision);
      const { written, ...after } = { ...made, revision, marks: [...(head?.marks ?? []), mark].slice(-MARKS) };
      const etag = made && (await objects.put(heads + nameOf(key), bytesOf(after), head?.etag ?? null));
      if (etag) return remember(key, { ...after, etag });
      const there = await readHead(key);
      // Keep the new parts if the head is unchanged (the PUT may still arrive) or if the PUT has succeeded after all.
      const isLost = there?.etag !== head?.etag && !there?.marks.includes(mark);
      if (made && isLost) await removeAll(written.map((name) => part(key, after, name)));
      else await pause(turn);
      head = there;
    }
    throw conflict(key, expected, expected);
  }

  /** Removes parts that neither this head nor a later one names. If this fails, the save is still valid, and the next one tries again. */
  async function clean(key, head) {
    const within = `${folder(key)}${head.journal}/`;
    const named = new Set([head.snapshot, ...head.segments].map(({ name }) => name));
    const isOver = (name) => !named.has(name) && revisionOf(name) <= head.revision;
    await objects
      .list(within)
      .then((found) => removeAll(found.map(({ name }) => name).filter((name) => isOver(name.slice(within.length)))))
      .catch(() => {});
  }

  async function removeAll(names) {
    for (let at = 0; at < names.length; at += 20) await Promise.all(names.slice(at, at + 20).map((name) => objects.remove(name)));
  }

  /** Merges the last records with the segments before them that are less than twice as long as what follows. `null` if one is gone. */
  async function merged(key, head, tail) {
    const segments = [...head.segments];
    const taken = [];
    let length = tail.length;
    while (segments.length > 0 && segments.at(-1).length < Math.min(2 * length, SEGMENT)) {
      taken.unshift(segments.pop());
      length += taken[0].length;
    }
    const found = await Promise.all(taken.map(({ name }) => objects.get(part(key, head, name))));
    if (found.includes(null)) return null;
    return { segments, taken, bytes: joined([...found.map(({ bytes }) => bytes), tail]) };
  }

  return {
    async read(key, from = -1) {
      for (let turn = 1, last = null; ; turn++) {
        const head = await readHead(key);
        if (!head) return null;
        const { position, snapshot, segments, tail } = head;
        const isKnown = from >= snapshot.position;
        const needed = segments.filter((segment) => segment.position > from);
        const found = await Promise.all([...(isKnown ? [] : [snapshot]), ...needed].map(({ name }) => objects.get(part(key, head, name))));
        if (!found.includes(null)) {
          const parts = found.map(({ bytes }) => bytes);
          const first = isKnown ? null : parts.shift();
          const records = joined([...parts, tail]);
          return { position, snapshot: first, snapshotPosition: snapshot.position, records: isKnown ? records.slice(startBehind(records, from)) : records };
        }
        if (head.etag === last || turn === MAX_TRIES) throw new Error(`the journal under \`${key}\` is incomplete: ${heads}${nameOf(key)} refers to an object that is missing`);
        last = head.etag;
      }
    },

    async append(key, expectedPosition, records) {
      const added = joined(records);
      const position = expectedPosition + records.length;
      let replaced = [];
      const after = await change(key, expectedPosition, async (head, revision) => {
        const tail = joined([head.tail, added]);
        const { journal, snapshot } = head;
        const rest = { journal, snapshot, position };
        replaced = [];
        if (tail.length <= TAIL) return { ...rest, segments: head.segments, tail, written: [] };
        const segment = await merged(key, head, tail);
        if (!segment) return null;
        replaced = segment.taken;
        const name = partName(revision);
        await objects.put(part(key, head, name), segment.bytes);
        return { ...rest, segments: [...segment.segments, { name, position, length: segment.bytes.length }], tail: new Uint8Array(0), written: [name] };
      });
      await removeAll(replaced.map(({ name }) => part(key, after, name))).catch(() => {});
    },

    async replace(key, expectedPosition, snapshot, position) {
      const bytes = copied(snapshot);
      const after = await change(key, expectedPosition, async (head, revision) => {
        const journal = head?.journal ?? random();
        const name = partName(revision);
        await objects.put(part(key, { journal }, name), bytes);
        return { journal, snapshot: { name, position }, position, segments: [], tail: new Uint8Array(0), written: [name] };
      });
      if (expectedPosition !== null) await clean(key, after);
    },

    async remove(key) {
      const head = await readHead(key);
      remember(key, null);
      await objects.remove(heads + nameOf(key)); // from now on the journal does not exist
      await items.removeItem(`${key}:lease`);
      const isOver = ({ name, modified }) => (head && name.startsWith(`${folder(key)}${head.journal}/`)) || modified < Date.now() - ABANDONED_MS;
      await removeAll((await objects.list(folder(key))).filter(isOver).map(({ name }) => name));
    },

    list: async (start = "") => (await objects.list(heads + nameOf(start))).map(({ name }) => keyOf(name.slice(heads.length))),
    ...items,
  };
}

/** Each item is an object: 16 random bytes, so that no etag repeats, then the value. An object of only eight bytes is a removed item. */
function itemsOf(objects, folder) {
  const STAMP = 16;
  const at = (key) => folder + nameOf(key);
  const stamped = (value) => joined([crypto.getRandomValues(new Uint8Array(STAMP)), value]);
  const valueOf = (there) => (there && there.bytes.length >= STAMP ? there.bytes.slice(STAMP) : null);
  const isSame = (a, b) => a.slice(0, STAMP).every((byte, i) => byte === b[i]);
  const text = (bytes) => (bytes === null ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  const read = async (key) => valueOf(await objects.get(at(key)));
  const write = async (key, bytes) => void (await objects.put(at(key), stamped(bytes)));
  return {
    getItem: async (key) => text(await read(key)),
    setItem: (key, value) => write(key, utf8(String(value))),
    removeItem: (key) => objects.remove(at(key)),
    getItemRaw: read,
    setItemRaw: write,
    getKeys: async (start = "") => (await objects.list(at(start))).filter(({ size }) => size >= STAMP).map(({ name }) => keyOf(name.slice(folder.length))),
    async compareAndSet(key, expected, next) {
      const bytes = stamped(utf8(next));
      for (let turn = 1; turn <= MAX_TRIES; turn++) {
        const there = await objects.get(at(key));
        if (turn > 1 && there && isSame(there.bytes, bytes)) return true; // the previous attempt succeeded, but its answer was lost
        if (text(valueOf(there)) !== expected) return false;
        if (await objects.put(at(key), bytes, there?.etag ?? null)) return true;
        await pause(turn);
      }
      return false;
    },
    /**
     * Not every server supports a conditional DELETE, but all support a conditional PUT. So the item is first replaced by a marker for a
     * removed item. If the deletion then fails, the marker counts as nothing.
     */
    async removeOlder(key, ms) {
      const there = await objects.head(at(key));
      if (!there || there.size < STAMP || there.modified >= Date.now() - ms) return false;
      const etag = await objects.put(at(key), crypto.getRandomValues(new Uint8Array(STAMP / 2)), there.etag);
      if (!etag) return false;
      await objects.remove(at(key), etag).catch(() => {});
      return true;
    },
  };
}

const REVISION = 16;
const partName = (revision) => `${String(revision).padStart(REVISION, "0")}-${random()}`;
const revisionOf = (name) => Number(name.slice(0, REVISION));

/** A head as bytes: a line of JSON, then the last records. */
function bytesOf({ tail, etag, ...head }) {
  return joined([utf8(`${JSON.stringify({ version: 1, ...head })}\n`), tail]);
}

function readFrom({ bytes, etag }) {
  const end = bytes.indexOf(10);
  const { version, ...head } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  if (version !== 1) throw new Error(`the journal was written by a later version of this package (${version})`);
  return { ...head, tail: bytes.slice(end + 1), etag };
}

/** A key as part of an object's name: only characters that need no escape in a URL, and no dots, because `..` has a meaning there. */
function nameOf(key) {
  return [...utf8(key)].map((byte) => (/[\w-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `~${byte.toString(16).padStart(2, "0").toUpperCase()}`)).join("");
}

const keyOf = (name) => decodeURIComponent(name.replaceAll("~", "%"));

const random = () => Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const pause = (turn) => new Promise((done) => setTimeout(done, Math.random() * 20 * turn));

const utf8 = (text) => new TextEncoder().encode(text);

const copied = (bytes) => joined([bytes]);

function joined(arrays) {
  const all = new Uint8Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}
