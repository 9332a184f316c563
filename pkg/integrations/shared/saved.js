// Sessions with a key: loads them from the store, and saves them when their view has changed.

import { Session } from "contextfold";

/** A session that a hook makes for itself. */
export const newSession = (ofSession) => new Session(ofSession);

/** The session that is saved under a key, or a new one; and its `home` (where to save it) if there is a store. */
export async function loadOrCreate(ofSession, key) {
  const { store, ...options } = ofSession;
  if (!store) return { session: newSession(ofSession), home: undefined };
  try {
    return { session: await Session.load(store, key, options), home: { store, key, isSaved: true } };
  } catch (error) {
    if (error?.code !== "UNKNOWN_REF") throw error; // `UNKNOWN_REF`: nothing is saved yet
    return { session: newSession(ofSession), home: { store, key, isSaved: false } };
  }
}

/**
 * Saves a session whose view has changed, or which was never saved. Newer entries that are not saved are not lost, because the next
 * list has them again.
 *
 * @returns a promise of the save; `undefined` if there is nothing to do
 */
export function save(session, home, { wasChanged }) {
  if (!home || (home.isSaved && !wasChanged)) return undefined;
  home.isSaved = true;
  const saving = session.save(home.store, home.key);
  return saving.catch((error) => {
    home.isSaved = false;
    throw error;
  });
}
