// Sessions in a browser's own database. Uses plain IndexedDB, because a journal needs several object stores in one transaction, and
// `idb-keyval` supports only one.

import { ContextError } from "../error.js";
import { conflict } from "./conflict.js";
import { database } from "./indexeddb/database.js";
import { oldSession } from "./indexeddb/old-session.js";
import { joined } from "./segments/records.js";

/** The key range of a journal's records after a position. */
const behind = (key, position) => IDBKeyRange.bound([key, position], [key, []], true);

/** A store that belongs to the page's origin. */
export function indexedDBStore(name = "contextfold") {
  if (typeof name !== "string" || name === "") throw new ContextError("INVALID_ARGUMENT", "name: expected the name of the database, a text that is not empty");
  const { transact, asked, close } = database(name);
  const JOURNAL = ["journals", "snapshots", "records", "items"];
  const ITEM = ["items", "times"];

  /** The journal's row, also for a session saved by a version without journals. */
  async function rowOf(of, key) {
    return (await asked(of("journals").get(key))) ?? (await oldSession(of("items"), asked, key));
  }

  /** The row that a save continues from. Throws a conflict if the journal is at another position. */
  async function standing(of, key, expected) {
    const row = (await rowOf(of, key)) ?? null;
    if ((row?.position ?? null) !== expected) throw conflict(key, expected, row?.position ?? null);
    return row;
  }

  function dropOld(of, row) {
    for (const item of row?.items ?? []) of("items").delete(item);
  }

  async function putItem(key, value) {
    await transact(ITEM, "readwrite", async (of) => {
      of("items").put(value, key);
      of("times").put(Date.now(), key);
    });
  }

  /** The keys with this prefix. */
  const beginning = (keys, prefix) => keys.filter((key) => typeof key === "string" && key.startsWith(prefix));
  const getItem = (key) => transact(["items"], "readonly", async (of) => (await asked(of("items").get(key))) ?? null);

  return {
    read: (key, from) =>
      transact(JOURNAL, "readonly", async (of) => {
        const row = await rowOf(of, key);
        if (!row) return null;
        const { position, snapshotPosition } = row;
        const has = from !== undefined && from >= snapshotPosition;
        const [snapshot, records] = await Promise.all([
          has ? null : (row.snapshot ?? asked(of("snapshots").get(key))),
          asked(of("records").getAll(behind(key, has ? from : snapshotPosition))),
        ]);
        if (snapshot === undefined) throw new ContextError("STORE_FAILED", `the session in the store under \`${key}\` is damaged or incomplete: its snapshot is missing`);
        return { position, snapshot, snapshotPosition, records: joined(records) };
      }),

    append(key, expectedPosition, records) {
      const frames = records.map((record) => new Uint8Array(record)); // copied at once, because the caller may overwrite its arrays
      return transact(JOURNAL, "readwrite", async (of) => {
        const row = await standing(of, key, expectedPosition);
        if (row === null) throw conflict(key, expectedPosition, null);
        if (frames.length === 0) return;
        for (const [i, frame] of frames.entries()) of("records").put(frame, [key, expectedPosition + 1 + i]);
        of("journals").put({ position: expectedPosition + frames.length, snapshotPosition: row.snapshotPosition }, key);
        if (row.snapshot) of("snapshots").put(row.snapshot, key);
        dropOld(of, row);
      });
    },

    replace(key, expectedPosition, snapshot, position) {
      const bytes = new Uint8Array(snapshot);
      return transact(JOURNAL, "readwrite", async (of) => {
        const row = await standing(of, key, expectedPosition);
        of("records").delete(behind(key, -1));
        of("snapshots").put(bytes, key);
        of("journals").put({ position, snapshotPosition: position }, key);
        dropOld(of, row);
      });
    },

    remove: (key) =>
      transact([...JOURNAL, "times"], "readwrite", async (of) => {
        dropOld(of, await rowOf(of, key));
        for (const name of ["journals", "snapshots"]) of(name).delete(key);
        of("records").delete(behind(key, -1));
        for (const name of ITEM) of(name).delete(`${key}:lease`);
      }),

    list: (prefix = "") =>
      transact(JOURNAL, "readonly", async (of) => {
        const range = IDBKeyRange.lowerBound(prefix);
        const keys = beginning(await asked(of("journals").getAllKeys(range)), prefix);
        const heads = beginning(await asked(of("items").getAllKeys(range)), prefix).filter((item) => item.endsWith(":head"));
        const old = heads.map((item) => item.slice(0, -":head".length)).filter((key) => key.startsWith(prefix) && !keys.includes(key));
        const rows = await Promise.all(old.map((key) => oldSession(of("items"), asked, key)));
        return [...keys, ...old.filter((_, i) => rows[i])];
      }),

    getItem,
    setItem: (key, value) => putItem(key, value),
    removeItem: (key) =>
      transact(ITEM, "readwrite", async (of) => {
        for (const name of ITEM) of(name).delete(key);
      }),
    getItemRaw: getItem,
    setItemRaw: (key, bytes) => putItem(key, new Uint8Array(bytes)),
    getKeys: (prefix = "") => transact(["items"], "readonly", async (of) => beginning(await asked(of("items").getAllKeys()), prefix)),

    compareAndSet: (key, expected, next) =>
      transact(ITEM, "readwrite", async (of) => {
        if (((await asked(of("items").get(key))) ?? null) !== expected) return false;
        of("items").put(next, key);
        of("times").put(Date.now(), key);
        return true;
      }),

    removeOlder: (key, ms) =>
      transact(ITEM, "readwrite", async (of) => {
        if ((await asked(of("items").count(key))) === 0) return false;
        const time = await asked(of("times").get(key));
        // Stored by a version that did not record times: its age counts from now.
        if (time === undefined) of("times").put(Date.now(), key);
        if (time === undefined || Date.now() - time <= ms) return false;
        for (const name of ITEM) of(name).delete(key);
        return true;
      }),

    close,
  };
}
