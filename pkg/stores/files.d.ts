import type { JournalStore } from "./journal.js";

export type { Journal, JournalStore } from "./journal.js";

/** How `fileStore` writes. */
export interface FileStoreOptions {
  /**
   * Whether a save waits until the disk has it; default `true`. With `false` it takes half the time or less, and what was saved in the last
   * seconds before the machine lost its power may be gone, or a session damaged. That a process dies does no harm either way.
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
 * A session is one file, `journals/KEY`: its snapshot, and behind it the records of what came since. A save appends to it. In its name all
 * but small letters, digits, `-` and `_` is escaped, so that it is right for every file system. To copy sessions, copy the folder: a file
 * that is copied in the middle of a save lacks that save, and nothing else.
 *
 * It promises:
 * - What was saved is there when the promise resolves, on the disk itself (unless `fsync` is `false`).
 * - A save is there whole or not at all, whenever the process is killed. What was half written stands in nobody's way.
 * - Any number of processes may use the folder: of those that save at the same position of one session, one does, and the others are told
 *   `STORE_CONFLICT`. A process that was killed while it saved holds nobody up on the same machine; on another one, or in another
 *   container, the others wait six seconds for it.
 *
 * It does not promise that two machines see the same of a folder on a network: one whose clients keep lists of files that are out of date
 * (NFS may) lets two of them save at once. Use a database there.
 *
 * `removeOlder` goes by the clock of the file system, and the `ttlMs` of `compareAndSet` is not needed: what is there stays there.
 *
 * @param folder Its path.
 */
export declare function fileStore(folder: string, options?: FileStoreOptions): JournalStore;
