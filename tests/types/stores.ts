// Snapshots and stores, as a program uses them.

import { Session, type Store } from "contextfold";
import { indexedDBStore } from "contextfold/stores/indexeddb";
import { memoryStore } from "contextfold/stores/memory";

const session = new Session({ store: memoryStore(), toolOutputCache: { memoryBytes: 1_000_000 }, freezeInputs: true });
const bytes: Uint8Array = session.snapshot();
const again: Session = Session.restore(bytes, { model: "gpt-5" });

const stores: Store[] = [memoryStore(), indexedDBStore("chats")];
for (const store of stores) await session.save(store, "chat");
const loaded: Session = await Session.load(memoryStore(), "chat", { summarize: () => "" });
await loaded.flush();
const { wasm_bytes, outputs_bytes, messages } = loaded.memory();
const sum: number = wasm_bytes + outputs_bytes + messages;

// @ts-expect-error a text is no store
session.save("chat", memoryStore());
// @ts-expect-error bytes are needed
Session.restore("bytes");
// @ts-expect-error a store has getItem, setItem and removeItem
const less: Store = { getItem: async () => null };

console.log(again, sum, less);
