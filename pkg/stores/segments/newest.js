// Finds the newest complete state under a key, if a process died while it wrote the head.

import { headNaming, itemsOf } from "./head.js";
import { isWholeSnapshot, readSegment, readVersion, segmentOf, snapshotOf } from "./names.js";
import { isContiguous } from "./records.js";

/** The items under a key: its snapshots, its segments, and the names of both. `null` if the store cannot list keys. */
export async function itemsUnder(items, key) {
  const versions = await namesUnder(items, snapshotOf(key, ""));
  const names = await namesUnder(items, `${key}:s:`);
  if (versions === null || names === null) return null;
  const snapshots = versions.map((version) => ({ version, ...readVersion(version) })).filter(({ token }) => token !== undefined);
  const segments = names.map(readSegment).filter((segment) => segment !== null);
  return { snapshots, segments, names: [...snapshots.map(({ version }) => snapshotOf(key, version)), ...segments.map((segment) => segmentOf(key, segment))] };
}

/** A head of the newest complete state, and the left-over items. `null` if there is none, or the store cannot list keys. */
export async function newestWhole(items, key) {
  const lying = await itemsUnder(items, key);
  if (lying === null) return null;
  const { snapshots, segments } = lying;
  const reach = reaches(segments);
  const far = ({ position, token }) => reach(position, token);
  const best = { position: -1, head: null };
  let newestOld = 0; // the number of the newest complete version without a journal
  for (const snapshot of snapshots.sort((a, b) => (b.number ?? 0) - (a.number ?? 0) || far(b) - far(a) || byName(b.version, a.version))) {
    if (far(snapshot) <= best.position || snapshot.number < newestOld) continue;
    const bytes = await items.bytes(snapshotOf(key, snapshot.version));
    if (bytes === null || !isWholeSnapshot(snapshot.version, bytes)) continue;
    newestOld = snapshot.number ?? newestOld;
    const path = await wholePath(items, key, segments, reach, snapshot.position, snapshot.token);
    const head = headNaming(snapshot.version, snapshot.position, path);
    if (head.position > best.position) Object.assign(best, { position: head.position, head });
  }
  if (best.head === null) return null;
  const named = new Set(itemsOf(key, best.head));
  // Later segments may belong to a running save: if the store cannot swap the head atomically, that save may still name them.
  const isOver = (name) => !named.has(name) && (items.swapsAtOnce || endOf(name) <= best.position);
  return { head: best.head, leftOver: lying.names.filter(isOver) };
}

/** The names with this prefix, without the prefix. A store may write `:` for `/`, and one for several. */
async function namesUnder(items, prefix) {
  const loose = (name) => name.replace(/[/\\:]+/g, ":").replace(/^:/, "");
  const keys = await items.keys(prefix);
  return keys?.filter((name) => loose(name).startsWith(loose(prefix))).map((name) => loose(name).slice(loose(prefix).length)) ?? null;
}

/** Returns a function: the position up to which segments lead from a state, if all of them are undamaged. */
function reaches(segments) {
  const far = new Map();
  const reach = (position, token) => far.get(`${position} ${token}`) ?? position;
  for (const { from, to, before, token } of [...segments].sort((a, b) => b.from - a.from))
    far.set(`${from} ${before}`, Math.max(reach(from, before), reach(to, token)));
  return reach;
}

/** The undamaged segments that lead farthest from a state. */
async function wholePath(items, key, segments, reach, position, token) {
  const behind = segments.filter(({ from, before }) => from === position && before === token);
  const far = (segment) => reach(segment.to, segment.token);
  let longest = [];
  for (const segment of behind.sort((a, b) => far(b) - far(a) || byName(b.token, a.token))) {
    if (far(segment) <= (longest.at(-1)?.to ?? position)) break;
    const bytes = await items.bytes(segmentOf(key, segment));
    if (bytes === null || !isContiguous(bytes, segment.from, segment.to)) continue;
    const path = [segment, ...(await wholePath(items, key, segments, reach, segment.to, segment.token))];
    if (path.at(-1).to > (longest.at(-1)?.to ?? position)) longest = path;
  }
  return longest;
}

function endOf(name) {
  const last = name.slice(name.lastIndexOf(":") + 1);
  return (readSegment(last) ?? readVersion(last)).position;
}

const byName = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
