// Reads a session that another process has saved: a snapshot in a file, or a store in a folder. Nothing is written.

import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Session } from "contextfold";
import { fileStore } from "contextfold/stores/files";
import { unreadable, usage, whyUnreadable } from "./failure.js";

// The session's own tokenizer and redaction are not needed, because nothing is counted and no summary is requested.
const ONLY_READ = { tokenizer: "estimate", compaction: { redact: null } };

/** Returns a function that returns the session in its current state. It is read again only if it has changed. */
export function savedSession({ session: file, store: folder, key }) {
  if ((file === undefined) === (folder === undefined)) throw usage("one of --session FILE and --store DIR is needed", "mcp");
  if (file !== undefined) {
    if (key !== undefined) throw usage("--key goes with --store", "mcp");
    return renewed(() => stamp(file), () => Session.restore(bytesOf(file), ONLY_READ));
  }
  if (existsSync(join(folder, "journals"))) return ofFileStore(fileStore(folder), key, folder);
  const store = folderStore(folder);
  const name = key ?? only(keysIn(folder), folder);
  return renewed(() => stamp(pathOf(folder, `${name}:head`)), () => Session.load(store, name, ONLY_READ));
}

/** The same for a folder of `contextfold/stores/files`. */
function ofFileStore(store, key, folder) {
  let known;
  let session;
  return async () => {
    const name = key ?? only(await store.list(), folder);
    const there = await store.read(name, known);
    if (session && there?.position === known) return session;
    session = await Session.load(store, name, ONLY_READ);
    known = there?.position;
    return session;
  };
}

function renewed(stampNow, read) {
  let known;
  let session;
  return async () => {
    const now = stampNow();
    if (session && now === known) return session;
    session = await read();
    known = now;
    return session;
  };
}

const stamp = (file) => {
  const { mtimeMs, size } = reading(file, () => statSync(file));
  return `${mtimeMs} ${size}`;
};
const bytesOf = (file) => new Uint8Array(reading(file, () => readFileSync(file)));

function reading(file, read) {
  try {
    return read();
  } catch (error) {
    throw unreadable(`cannot read ${file}: ${whyUnreadable(error)}`);
  }
}

/** The path of a key, with a folder for each part before a `:` or `/`, as unstorage's file system driver has it. */
function pathOf(folder, key) {
  const parts = key.split(/[:/\\]/);
  if (parts.some((part) => part === ".." || part === "." || part === "")) throw usage(`--key: ${key.replace(/:head$/, "")} is not a valid key`, "mcp");
  return join(folder, ...parts);
}

function folderStore(folder) {
  const read = (key, encoding) => {
    try {
      return readFileSync(pathOf(folder, key), encoding);
    } catch (error) {
      if (error.code === "ENOENT") return null;
      throw error;
    }
  };
  const readOnly = async () => {
    throw new Error("this store is only read");
  };
  return {
    getItem: async (key) => read(key, "utf8"),
    getItemRaw: async (key) => {
      const bytes = read(key);
      return bytes === null ? null : new Uint8Array(bytes);
    },
    setItem: readOnly,
    setItemRaw: readOnly,
    removeItem: readOnly,
    getKeys: async () => filesIn(folder).map((parts) => parts.join(":")), // to find the newest state if a process died while it saved
  };
}

/** The files in a folder, as lists of names. */
const filesIn = (folder) => reading(folder, () => readdirSync(folder, { recursive: true })).map((path) => path.replaceAll("\\", "/").split("/"));

/** The keys of the sessions that unstorage's driver has stored in a folder. */
const keysIn = (folder) => filesIn(folder).filter((parts) => parts.length > 1 && parts.at(-1) === "head").map((parts) => parts.slice(0, -1).join(":"));

/** The only key in a folder; throws if there is none or more than one. */
function only(keys, folder) {
  if (keys.length === 1) return keys[0];
  if (keys.length === 0) throw unreadable(`no session is saved in ${folder}`);
  throw usage(`several sessions are saved in ${folder}: say which with --key (${keys.slice(0, 5).join(", ")}${keys.length > 5 ? ", …" : ""})`, "mcp");
}
