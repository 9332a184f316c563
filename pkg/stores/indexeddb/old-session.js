// A session as versions without journals saved it: an item that names the current version, and an item that holds it.

import { headOf, readVersion, snapshotOf } from "../segments/names.js";

/** Such a session as a journal's row, with the names of its items; `undefined` if there is none. The first save converts it. */
export async function oldSession(items, asked, key) {
  const version = await asked(items.get(headOf(key)));
  const named = typeof version === "string" ? readVersion(version) : null;
  const snapshot = named ? await asked(items.get(snapshotOf(key, version))) : undefined;
  if (snapshot === undefined) return undefined;
  const { position } = named;
  return { position, snapshotPosition: position, snapshot, items: [headOf(key), snapshotOf(key, version)] };
}
