import type { JournalStore } from "./journal.js";

export type { Journal, JournalStore } from "./journal.js";

/** How `fileStore` writes. */
export interface FileStoreOptions {
  /**
   * Whether a save waits until the disk has it; default `true`. With `false` it takes half the time or less. But if the machine
   * loses power, the saves of the last seconds may be gone, or a session damaged. If only a process dies, nothing is lost either
   * way.
   */
  fsync?: boolean | undefined;
}

/**
 * Sessions in a folder, for Node. The folder is made when something is saved.
 *
 * ```js
 * import { fileStore } from "contextfold/stores/files";
 *
 * const store = fileStore("./sessions");
 * await session.save(store, "chat-17");
 * ```
 *
 * A session is one file, `journals/KEY`: its snapshot, and behind it the records of what came since. A save appends to it. In its
 * name, everything but small letters, digits, `-` and `_` is escaped, for every file system. To copy sessions, copy the folder: a
 * file copied in the middle of a save lacks only that save.
 *
 * It promises:
 * - When the promise resolves, the save is on the disk (unless `fsync` is `false`).
 * - A save is there whole or not at all, whenever the process is killed. A half-written save blocks nobody.
 * - Any number of processes may use the folder: if several save at the same position of one session, one succeeds, and the others
 *   get `STORE_CONFLICT`. If a process is killed while it saves, processes on the same machine do not wait for it; on another
 *   machine or in another container, they wait six seconds.
 *
 * It does not work reliably on a network folder: if its clients have outdated lists of files (as NFS may), two machines may save
 * at once. Use a database there.
 *
 * `removeOlder` uses the clock of the file system. `ttlMs` of `compareAndSet` is ignored: items stay.
 *
 * @param folder Its path.
 */
export declare function fileStore(folder: string, options?: FileStoreOptions): JournalStore;
