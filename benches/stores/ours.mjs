// What saving, loading and refreshing cost with contextfold.

import { Session } from "contextfold";
import { memoryJournals, memoryStore } from "contextfold/stores/memory";
import { segmented } from "contextfold/stores/segments";
import { random, shuffled } from "../tokens/generate.mjs";
import { median } from "../tokens/measure.mjs";
import { BYTES, message, sessionOf } from "./sessions.mjs";

const order = random(7);
const sum = (list) => list.reduce((total, n) => total + n, 0);

/** A store in memory that counts the bytes it is given. */
function counting() {
  const store = memoryJournals();
  const written = { appends: [], replaces: [] };
  return {
    written,
    ...store,
    append: (key, position, records) => {
      written.appends.push(sum(records.map(({ length }) => length)));
      return store.append(key, position, records);
    },
    replace: (key, expected, snapshot, position) => {
      written.replaces.push(snapshot.length);
      return store.replace(key, expected, snapshot, position);
    },
  };
}

/** An ordinary store over a Map, which also counts. */
function countingItems() {
  const store = memoryStore();
  const written = { bytes: 0 };
  const count = (method) => (key, ...values) => {
    written.bytes += values.at(method === "compareAndSet" ? 1 : 0).length;
    return store[method](key, ...values);
  };
  return { ...store, written, setItem: count("setItem"), setItemRaw: count("setItemRaw"), compareAndSet: count("compareAndSet") };
}

/** Bytes written per save of one new message, by session size: median and maximum of 32. */
export async function bytesPerSave(sizes) {
  const rows = [];
  for (const size of sizes) {
    const session = sessionOf(size);
    const store = counting();
    const items = countingItems();
    const segments = segmented(items);
    const ordinary = Session.restore(session.snapshot());
    await session.save(store, "chat");
    await ordinary.save(segments, "chat");
    const before = items.written.bytes;
    for (let n = 0; n < 32; n++) {
      const said = message();
      session.push(said);
      await session.save(store, "chat");
      ordinary.push(said);
      await ordinary.save(segments, "chat");
    }
    const { appends, replaces } = store.written;
    const again = replaces.slice(1); // snapshots written because the records had outgrown the last one
    rows.push({ size, typical: median(appends), most: Math.max(...appends), again: sum(again), segments: (items.written.bytes - before) / 32 });
    session.free();
    ordinary.free();
  }
  return rows;
}

/** Saves a session after each message. Returns all bytes that were written. */
export async function wholeSession(messages) {
  const store = counting();
  const session = new Session();
  const started = performance.now();
  for (let n = 0; n < messages; n++) {
    session.push(message());
    await session.save(store, "chat");
  }
  const ms = performance.now() - started;
  const { appends, replaces } = store.written;
  session.free();
  return { messages, history: messages * BYTES, records: sum(appends), snapshots: sum(replaces), count: replaces.length, ms };
}

/** Saves one new message at a time, at two sizes in turn, in one store: p50 in ms. */
export async function saves(stores, sizes, rounds) {
  const running = [];
  for (const { name, store } of stores)
    for (const size of sizes) {
      const session = sessionOf(size);
      const key = `saves-${size}`;
      await session.save(store, key);
      running.push({ name, size, store, key, session, times: [] });
    }
  for (let round = 0; round < rounds + 3; round++)
    for (const at of shuffled(running, order)) {
      at.session.push(message());
      const start = performance.now();
      await at.session.save(at.store, at.key);
      if (round >= 3) at.times.push(performance.now() - start);
    }
  const p50 = new Map(stores.map(({ name }) => [name, {}]));
  for (const { name, size, times, session } of running) {
    p50.get(name)[size] = median(times);
    session.free();
  }
  return p50;
}

/** Loads what `saves` left, and refreshes after ten saves by another session, all stores in turn: p50 in ms, and that of a round trip. */
export async function loads(stores, size, rounds) {
  const key = `saves-${size}`;
  const running = [];
  for (const { name, store, again } of stores) running.push({ name, store, again, writer: await Session.load(store, key), times: { load: [], refresh: [], trip: [] } });
  for (let round = 0; round <= rounds; round++)
    for (const { store, again, writer, times } of shuffled(running, order)) {
      const elsewhere = again();
      const timed = async (name, run) => {
        const start = performance.now();
        const result = await run();
        if (round > 0) times[name].push(performance.now() - start);
        return result;
      };
      const session = await timed("load", () => Session.load(elsewhere, key));
      for (let n = 0; n < 10; n++) {
        writer.push(message());
        await writer.save(store, key);
      }
      await timed("refresh", () => session.refresh());
      const { position } = session;
      await timed("trip", () => elsewhere.read(key, position));
      if (position !== writer.position || session.items().length !== writer.items().length) throw new Error("the refresh is not all of it");
      session.free();
      if (elsewhere !== store) await elsewhere.close?.();
    }
  for (const { writer } of running) writer.free();
  return new Map(running.map(({ name, times: { load, refresh, trip } }) => [name, { load: median(load), refresh: median(refresh), trip: median(trip) }]));
}
