import type { JournalStore } from "./journal.js";

export type { Journal, JournalStore } from "./journal.js";

/** Options of `fileStore`. */
export interface FileStoreOptions {
  /**
   * Whether a save waits until it is on the disk; default `true`. With `false` a save takes half the time or less. But if the
   * machine loses power, the saves of the last seconds may be lost, or a session damaged. If only a process dies, nothing is lost
   * either way.
   */
  fsync?: boolean | undefined;
}

/**
 * Sessions in a folder, for Node. The folder is created by the first save.
 *
 * ```js
 * import { fileStore } from "contextfold/stores/files";
 *
 * const store = fileStore("./sessions");
 * await session.save(store, "chat-17");
 * ```
 *
 * A session is one file, `journals/KEY`: its snapshot, followed by the records of what came since. A save appends to the file. In
 * its name, everything but lowercase letters, digits, `-` and `_` is escaped, so that it works on every file system. To copy
 * sessions, copy the folder: a file copied in the middle of a save lacks only that save.
 *
 * Guarantees:
 * - When the promise resolves, the save is on the disk (unless `fsync` is `false`).
 * - A save is there completely or not at all, even if the process is killed. A half-written save does not block other processes.
 * - Any number of processes may use the folder. If several save at the same position of one session, one succeeds, and the others
 *   get `STORE_CONFLICT`. If a process is killed while it saves, other processes on the same machine do not wait for it; those on
 *   another machine or in another container wait six seconds.
 *
 * It is not reliable on a network folder: if the clients may see outdated lists of files (as with NFS), two machines may save at
 * once. Use a database there.
 *
 * `removeOlder` uses the clock of the file system. An item that was stored by `compareAndSet` with `ttlMs` (the lease for a summary)
 * does not expire by time. It is gone once the process that stored it has ended, if that can be checked (on the same machine, and not
 * in another container).
 *
 * @param folder Its path, or its `file:` URL.
 * @throws {ContextError} `INVALID_ARGUMENT`: for anything else, an empty path, or an unknown option.
 */
export declare function fileStore(folder: string | URL, options?: FileStoreOptions): JournalStore;
