// Sessions under a key: loaded where they are saved, and saved again when their view was changed.

import { Session } from "contextfold";

/** A session that a hook makes for itself. */
export const kept = (ofSession) => new Session(ofSession);

/** The session that is saved under a key, or a new one; and where it is saved, where there is a store. */
export async function opened(ofSession, key) {
  const { store, ...options } = ofSession;
  if (!store) return { session: kept(ofSession), home: undefined };
  try {
    return { session: await Session.load(store, key, options), home: { store, key, isSaved: true } };
  } catch (error) {
    if (error?.code !== "UNKNOWN_REF") throw error; // else nothing is saved yet
    return { session: kept(ofSession), home: { store, key, isSaved: false } };
  }
}

/**
 * Saves a session whose view was changed, one save after the other. What came in since then is not lost: the next list brings it.
 *
 * @returns when it is done; `undefined` where there is nothing to do
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
