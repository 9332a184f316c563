// A session as it was saved before there were journals: an item that names its version, and one that holds it.

import { headOf, readVersion, snapshotOf } from "../segments/names.js";

/** What such a session is as a journal, with the items that it lies in; `undefined` where none is. The first save moves it. */
export async function oldSession(items, asked, key) {
  const version = await asked(items.get(headOf(key)));
  const named = typeof version === "string" ? readVersion(version) : null;
  const snapshot = named ? await asked(items.get(snapshotOf(key, version))) : undefined;
  if (snapshot === undefined) return undefined;
  const { position } = named;
  return { position, snapshotPosition: position, snapshot, items: [headOf(key), snapshotOf(key, version)] };
}
