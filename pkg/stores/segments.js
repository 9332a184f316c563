// A journal store on top of an ordinary store: a journal is a snapshot, segments of records, and a head that names them.
//
// A save writes a new segment and then replaces the head, so every reader gets a consistent state. Then items that the head no longer
// names are removed; a reader that finds one missing reads the head again.
//
// Eight segments of one size are merged into one by the next save, so each record is written about five times, and a long session has
// some 40 segments. S3 has a similar layout, but with the newest records in the head itself.

import { ContextError } from "../error.js";
import { conflict } from "./conflict.js";
import { startBehind } from "./frames.js";
import { optionsOf } from "./options.js";
import { continuesFrom, headNaming, isCutOff, itemsOf, readHead } from "./segments/head.js";
import { lruCache } from "./segments/lru-cache.js";
import { headOf, itemOf, leaseOf, newToken, newVersion, readHeadName, readItem, segmentOf, snapshotOf } from "./segments/names.js";
import { itemsUnder, newestWhole } from "./segments/newest.js";
import { ordinary } from "./segments/ordinary.js";
import { isContiguous, joined, wholePart } from "./segments/records.js";
import { times } from "./segments/times.js";

/** This many segments of one level may exist; the next save merges them into one of the next level. */
const FAN_OUT = 8;

/** How many times a read is tried if the head changes in the meantime. */
const MAX_READS = 10;

/** How many times to read a head that is not valid, and the milliseconds in between, because somebody may be writing it. */
const TORN_READS = 4;
const TORN_MS = 25;

/** How many heads are remembered, and how many bytes of segments are cached. */
const HEADS = 1_000;
const CACHE_BYTES = 8 << 20;

/** Notices for a session that was read without its head, or without its last records. */
const NO_HEAD =
  "the store's head of this session was cut off, probably because a process died while saving: the newest complete state was loaded; check that the last messages are there, then save";
const OLD_HEAD =
  "the store returned an outdated head of this session, probably because a write that had failed was carried out later: the newest complete state was loaded; check that the last messages are there, then save";
const NO_END =
  "the store's last records of this session were cut off, probably by a power loss: the complete state before them was loaded; check that the last messages are there, then save";

/** A journal store on top of an ordinary store. */
export function segmented(store, options) {
  const { cacheBytes = CACHE_BYTES } = optionsOf(options, { cacheBytes: "bytes" });
  const items = ordinary(store);
  const heads = lruCache(HEADS);
  const segments = lruCache(cacheBytes, (bytes) => bytes.length);
  /** By key: the state that was read although the head was damaged. By now there may be a head with another state at the same position. */
  const recoveredHeads = lruCache(HEADS);
  /** By key: items that failed saves may have left. They are removed when a later save succeeds. */
  const leftOver = lruCache(HEADS);

  /** The head of a key; `null` if there is none. Waits if it is being written, because a store of files empties a file first. */
  async function currentHead(key) {
    for (let reads = 1; ; reads++) {
      const text = await items.text(headOf(key));
      if (text === null) heads.forget(key);
      if (text === null) return null;
      const head = readHead(text);
      if (head) heads.set(key, head);
      if (head) return head;
      heads.forget(key);
      if (reads < TORN_READS) {
        await sleep(TORN_MS);
        continue;
      }
      const newest = isCutOff(text) ? await newestWhole(items, key) : null;
      // If several processes save all the time, the head may just happen to be empty at each read.
      if (reads < 2 * TORN_READS && (await items.text(headOf(key))) !== text) continue;
      if (!newest) throw damaged(key, "has no version");
      return { ...newest.head, text, leftOver: newest.leftOver, notice: NO_HEAD };
    }
  }

  async function recordsOf(key, segment) {
    const name = segmentOf(key, segment);
    const there = segments.get(name);
    if (there) return there;
    const bytes = await items.bytes(name);
    if (bytes) segments.set(name, bytes);
    return bytes;
  }

  /** The records of some of a head's segments; `null` if one of them is gone. */
  async function recordsOfAll(key, chosen) {
    const arrays = await Promise.all(chosen.map((segment) => recordsOf(key, segment)));
    return arrays.includes(null) ? null : joined(arrays);
  }

  async function read(key, from) {
    let missing = { head: null, reads: 0 };
    for (let reads = 0; reads < MAX_READS; reads++) {
      const head = await currentHead(key);
      if (head === null) return null;
      // If the store went back to before `from`, nothing else shows whether that state is still there.
      const there = from > head.position && (await isGone(key, head)) ? null : await journalOf(key, head, from);
      if (there) return there;
      // Somebody has saved and removed it in the meantime, or it is lost.
      missing = { head, reads: head.text === missing.head?.text ? missing.reads + 1 : 1 };
      if (missing.reads === TORN_READS) break;
      if (missing.reads > 1) await sleep(TORN_MS);
    }
    const later = await laterThan(key, missing.head);
    const there = later && (await journalOf(key, later, from));
    if (there) return there;
    throw damaged(key, "refers to data that is missing");
  }

  /** The journal of a head; `null` if an item of it is missing. */
  async function journalOf(key, head, from) {
    const has = from !== undefined && from >= head.snapshotPosition;
    const chosen = head.segments.filter(({ to }) => !has || to > from);
    const [snapshot, all] = await Promise.all([has ? null : items.bytes(snapshotOf(key, head.version)), recordsOfAll(key, chosen)]);
    if ((!has && snapshot === null) || all === null) return null;
    const { records, position } = wholePart(all, chosen[0]?.from ?? head.position, head.position);
    if (head.notice) recoveredHeads.set(key, head);
    else recoveredHeads.forget(key);
    const { snapshotPosition, notice = position < head.position ? NO_END : undefined } = head;
    return { position, snapshot, snapshotPosition, records: has ? records.slice(startBehind(records, from)) : records, ...(notice && { notice }) };
  }

  async function isGone(key, head) {
    return (await Promise.all(itemsOf(key, head).map((name) => items.bytes(name)))).includes(null);
  }

  /**
   * For a head that names missing items: a head of a later state, or `null`. Only a save removes items, after it has replaced their head.
   * So if there is a later state, that head was replaced, and a write that the store carried out late has brought it back. Such a write
   * needs a store that cannot swap atomically; there, the later state may also be the same save, tried again.
   */
  async function laterThan(key, head) {
    const newest = await newestWhole(items, key);
    const isLater = newest && newest.head.position + (items.swapsAtOnce ? 0 : 1) > head.position;
    return isLater ? { ...newest.head, text: head.text, leftOver: newest.leftOver, notice: OLD_HEAD } : null;
  }

  /** The head that a save continues from. Throws a conflict if the journal is at another position. */
  async function currentAt(key, expected, isFirstLook) {
    const known = isFirstLook && !recoveredHeads.get(key) ? heads.get(key) : undefined;
    if (known && known.position === expected) return known;
    const head = await currentHead(key);
    if (head === null) throw conflict(key, expected, null);
    const read = recoveredHeads.get(key);
    if (!head.notice && read?.position === expected && read.text === head.text) return read;
    if (read?.position === expected && !continuesFrom(head, read)) throw conflict(key, expected, head.position);
    if (head.position === expected) return head;
    const mended = expected < head.position ? await endingAt(key, head, expected) : (await isGone(key, head)) ? await laterThan(key, head) : null;
    if (mended?.position !== expected) throw conflict(key, expected, head.position);
    return mended;
  }

  /** For a head whose last segments are damaged: a head of what is undamaged, if that ends at `position`; otherwise `null`. */
  async function endingAt(key, head, position) {
    const chosen = head.segments.filter(({ to }) => to > position);
    const last = await recordsOfAll(key, chosen.slice(-1));
    if (last === null || chosen.length === 0 || wholePart(last, chosen.at(-1).from, head.position).position === head.position) return null;
    const all = await recordsOfAll(key, chosen);
    if (all === null) return null;
    const whole = wholePart(all, chosen[0].from, head.position);
    if (whole.position !== position) return null;
    const before = head.segments.slice(0, head.segments.length - chosen.length);
    return { ...headNaming(head.version, head.snapshotPosition, before), text: head.text, position, rest: whole.records, leftOver: itemsOf(key, head) };
  }

  async function append(key, expected, records) {
    const added = joined(records); // copied at once, because the caller may overwrite its arrays
    const count = records.length;
    for (let tries = 1; ; tries++) {
      const head = await currentAt(key, expected, tries === 1);
      if (count === 0) return;
      const made = await merged(key, head, added, count);
      if (made === null) {
        // Somebody has merged or removed the segments, so our head is outdated. If the head is unchanged, they are lost.
        heads.forget(key);
        if (tries === MAX_READS || (tries > 1 && (await items.text(headOf(key))) === head.text)) throw damaged(key, "refers to data that is missing");
        continue;
      }
      const { stay, bytes } = made;
      const from = stay.at(-1)?.to ?? head.snapshotPosition;
      const before = headNaming(head.version, head.snapshotPosition, stay).token;
      const segment = { from, to: expected + count, before, token: newToken() };
      const next = headNaming(head.version, head.snapshotPosition, [...stay, segment]);
      const name = segmentOf(key, segment);
      await put(key, name, bytes);
      if (await swapped(key, head, next, name)) {
        segments.set(name, bytes);
        return removeReplaced(key, head, next);
      }
      if (tries === MAX_READS) throw conflict(key, expected, null);
    }
  }

  /**
   * Decides which segments stay as they are, and returns the bytes of the new segment: the records of the segments that it replaces,
   * then the new ones. `null` if one of those segments is gone.
   */
  async function merged(key, head, added, count) {
    const stay = [...head.segments];
    let taken = count + (head.position - (stay.at(-1)?.to ?? head.snapshotPosition));
    const parts = [];
    for (;;) {
      const level = levelOf(taken);
      const smaller = stay.length - stay.findLastIndex((segment) => levelOf(segment.to - segment.from) > level) - 1;
      const same = stay.slice(stay.length - smaller).filter((segment) => levelOf(segment.to - segment.from) === level).length;
      // Segments of lower levels are smaller than what is new, so merging them costs no more than writing that.
      const lower = smaller - same;
      const n = same >= FAN_OUT ? smaller : lower;
      if (n === 0) break;
      const chosen = stay.splice(stay.length - n, n);
      parts.unshift(...chosen);
      taken += chosen.at(-1).to - chosen[0].from;
    }
    const before = await recordsOfAll(key, parts);
    if (before === null) return null;
    const rest = head.rest ?? new Uint8Array(0);
    // Damaged segments are left as they are.
    if (parts.length > 0 && !isContiguous(before, parts[0].from, parts.at(-1).to)) return { stay: head.segments, bytes: joined([rest, added]) };
    return { stay, bytes: joined([before, rest, added]) };
  }

  async function replace(key, expected, snapshot, position) {
    const bytes = new Uint8Array(snapshot); // copied at once, as above; `slice` of a Node Buffer is not a copy
    const version = newVersion(position, bytes);
    for (let tries = 1; ; tries++) {
      const head = expected === null ? null : await currentAt(key, expected, tries === 1);
      if (head === null) {
        const there = await items.text(headOf(key));
        if (there !== null) throw conflict(key, null, (await currentHead(key))?.position ?? position);
      }
      const next = headNaming(version, position, []);
      const name = snapshotOf(key, version);
      await put(key, name, bytes);
      if (await swapped(key, head, next, name)) return removeReplaced(key, head, next);
      if (tries === MAX_READS) throw conflict(key, expected, null);
    }
  }

  /** Stores a new item. If that fails, a partly written item is never read, and is removed now or with the next save. */
  async function put(key, name, bytes) {
    try {
      await items.putBytes(name, bytes);
    } catch (error) {
      await items.remove(name).catch(() => rememberLeftovers(key, [name]));
      throw error;
    }
  }

  /**
   * Replaces the head and returns whether it did. `false`: somebody else did, and nothing of this save is left. The swap may have
   * succeeded although its answer was lost: then the current head is this one, or continues from it.
   */
  async function swapped(key, head, next, name) {
    let failure;
    try {
      if (await items.swap(headOf(key), head?.text ?? null, next.text)) return true;
    } catch (error) {
      failure = error;
    }
    heads.forget(key);
    // If we cannot find out whether the swap succeeded, the next save removes these items unless the head names them.
    const unsure = [name, ...(head ? itemsOf(key, head) : [])];
    let there;
    try {
      const text = await settledText(key);
      there = text === null ? null : readHead(text);
      if (text !== null && !there) throw damaged(key, "has no version");
      if (there && (continuesFrom(there, next) || ((failure || !items.swapsAtOnce) && (await isTakenUp(there, next, name))))) return true;
    } catch (error) {
      rememberLeftovers(key, unsure); // not known whether the swap succeeded
      throw failure ?? error;
    }
    if (failure) {
      rememberLeftovers(key, unsure); // the swap may still take effect
      throw failure;
    }
    await items.remove(name).catch(() => rememberLeftovers(key, [name]));
    return false;
  }

  /** Reads the head until it is whole: another process that is just writing it may have to wait for a processor. */
  async function settledText(key) {
    for (let reads = 1; ; reads++) {
      const text = await items.text(headOf(key));
      if (text === null || readHead(text) || reads === 4 * TORN_READS) return text;
      await sleep(TORN_MS);
    }
  }

  /** Whether the current head continues from this save: then its writer has merged and removed this save's item. Another head does not. */
  async function isTakenUp(there, next, name) {
    if (there.position <= next.position) return false;
    await sleep(TORN_MS);
    return (await items.bytes(name)) === null;
  }

  /** After a swap: removes items that the head does not name any more. */
  async function removeReplaced(key, before, next) {
    heads.set(key, next);
    recoveredHeads.forget(key);
    const named = new Set(itemsOf(key, next));
    const old = [...(before ? itemsOf(key, before) : []), ...(before?.leftOver ?? []), ...(leftOver.get(key) ?? [])];
    leftOver.forget(key);
    await removeAll(key, old.filter((name) => !named.has(name)));
  }

  async function removeAll(key, names) {
    const remove = async (name) => {
      segments.forget(name);
      await items.remove(name).catch(() => rememberLeftovers(key, [name]));
    };
    await Promise.all([...new Set(names)].map(remove));
  }

  const rememberLeftovers = (key, names) => leftOver.set(key, [...(leftOver.get(key) ?? []), ...names].slice(-100));

  async function remove(key) {
    const lying = (await itemsUnder(items, key))?.names ?? []; // listed before the head is removed, so that nothing of a new journal is among them
    const text = await items.text(headOf(key));
    const head = text === null ? null : readHead(text);
    heads.forget(key);
    recoveredHeads.forget(key);
    if (text !== null) await items.remove(headOf(key)); // first, so that from now on the journal does not exist
    // Without a head, these items are left over, or somebody is just starting a journal.
    else if (lying.length > 0) await sleep(TORN_READS * TORN_MS);
    const next = readHead((await items.text(headOf(key))) ?? "");
    const isNew = next ? new Set(itemsOf(key, next)) : new Set();
    await removeAll(key, [...(head ? itemsOf(key, head) : []), ...lying, ...(leftOver.get(key) ?? [])].filter((name) => !isNew.has(name)));
    await items.remove(leaseOf(key));
    await stored.forget(leaseOf(key));
  }

  /** The names with this prefix. A store with folders can only list whole folders, and may write `:` for `/`. */
  async function listed(prefix, read) {
    const names = await items.keys(/^.*[:/\\]|/s.exec(prefix)[0]);
    if (names === null) throw new ContextError("STORE_FAILED", "the store cannot list its keys: it has no `getKeys`");
    const loose = prefix.replace(/[/\\]/g, ":");
    const begins = (name) => name.startsWith(prefix) || (loose !== prefix && !/[/\\]/.test(name) && name.startsWith(loose));
    return names.map(read).filter((name) => name !== null && begins(name));
  }

  const stored = times(items);
  return {
    read,
    append,
    replace,
    remove,
    list: (prefix = "") => listed(prefix, readHeadName),
    getItem: (name) => items.text(itemOf(name)),
    async setItem(name, value) {
      await stored.renew(name);
      await items.putText(itemOf(name), value);
    },
    async removeItem(name) {
      await items.remove(itemOf(name));
      await stored.forget(name);
    },
    getItemRaw: (name) => items.bytes(itemOf(name)),
    async setItemRaw(name, value) {
      const bytes = new Uint8Array(value); // copied at once, as above
      await stored.renew(name);
      await items.putBytes(itemOf(name), bytes);
    },
    getKeys: (prefix = "") => listed(prefix, readItem),
    async compareAndSet(name, expected, next, options) {
      const done = await items.swap(itemOf(name), expected, next, options);
      if (done && !options?.ttlMs) await stored.renew(name).catch(() => {}); // the swap is done anyway; and an item that expires needs no time
      return done;
    },
    removeOlder: stored.removeOlder,
  };
}

/** The level of a segment with this many records: eight times as many are one level more. */
function levelOf(count) {
  return Math.floor(Math.log2(count) / Math.log2(FAN_OUT));
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A `STORE_FAILED` for which retrying does not help. */
function damaged(key, how) {
  const head = headOf(key);
  return new ContextError(
    "STORE_FAILED",
    `the session in the store under \`${key}\` is damaged or incomplete: \`${head}\` ${how}. Nothing in memory is lost: save it under another key. To use this key again, remove \`${head}\` from the store`,
  );
}
