// Snapshots and stores, as a program uses them.

import { Session, type Store } from "contextfold";
import { fileStore } from "contextfold/stores/files";
import { indexedDBStore } from "contextfold/stores/indexeddb";
import { wrapStore, type EncryptionKey } from "contextfold/stores/encrypted";
import { memoryJournals, memoryStore, type Journal, type JournalStore } from "contextfold/stores/memory";
import { segmented, type SegmentedStore } from "contextfold/stores/segments";
import { sqliteStore, type DurableObjectSqlite, type SqliteDatabase } from "contextfold/stores/sqlite";
import { remove, sweep, type SweepOptions, type Swept } from "contextfold/stores/sweep";

const session = new Session({ store: memoryStore(), toolOutputCache: { memoryBytes: 1_000_000 }, freezeInputs: true });
const bytes: Uint8Array = session.snapshot();
const again: Session = Session.restore(bytes, { model: "gpt-5" });

declare const storage: Store;
const journals: SegmentedStore = segmented(storage, { cacheBytes: 1_000_000 });
const there = await journals.read("chat", 7);
const notice: string | undefined = there?.notice;
const key = async (id = "2026"): Promise<EncryptionKey> => ({ id, key: new Uint8Array(32), older: ["2025"] });
const secret = wrapStore(journals, { encrypt: key });
declare const keys: { ofNode: import("node:crypto").webcrypto.CryptoKey; ofBrowser: CryptoKey };
wrapStore(journals, { encrypt: (id = "2026") => ({ id, key: id === "2026" ? keys.ofNode : keys.ofBrowser }) });
await secret.append("chat", there?.position ?? 0, [new Uint8Array(30)]);
const items = wrapStore(storage, { encrypt: key });
// @ts-expect-error an ordinary store has no journals
items.append("chat", 0, []);
// @ts-expect-error a key may not be omitted
wrapStore(journals, { encrypt: () => new Uint8Array(32) });

const stores: Store[] = [memoryStore(), indexedDBStore("chats"), journals, secret, items];
for (const store of stores) await session.save(store, "chat");
const loaded: Session = await Session.load(memoryStore(), "chat", { summarize: () => "" });
await loaded.flush();
const { wasm_bytes, outputs_bytes, messages } = loaded.memory();
const sum: number = wasm_bytes + outputs_bytes + messages;

declare const database: SqliteDatabase;
declare const ctx: { storage: DurableObjectSqlite };
const inSqlite = [sqliteStore("a.db", { fsync: false }), sqliteStore(database, { busyTimeoutMs: 100 }), sqliteStore(ctx.storage)];
for (const { close } of inSqlite) await close();
const journalStores: JournalStore[] = [memoryJournals(), fileStore("sessions"), fileStore("sessions", { fsync: false }), ...inSqlite];
for (const store of journalStores) {
  const journal: Journal | null = await store.read("chat", 5);
  const position: number = journal?.position ?? 0;
  await store.append("chat", position, [new Uint8Array(30)]);
  await store.close?.();
}
// @ts-expect-error a Durable Object's storage is needed, not only its `sql`
sqliteStore(ctx.storage.sql);

// @ts-expect-error a text is not a store
session.save("chat", memoryStore());
// @ts-expect-error bytes are required
Session.restore("bytes");
// @ts-expect-error a store has getItem, setItem and removeItem
const less: Store = { getItem: async () => null };

console.log(again, sum, less, notice);

const age: SweepOptions = { olderThanMs: 60_000 };
const swept: Swept = await sweep(memoryJournals(), age);
const left: number = swept.kept + swept.removed + (await remove(storage, "chat")).kept;
// @ts-expect-error no such option
await sweep(journals, { olderThan: 60_000 });
