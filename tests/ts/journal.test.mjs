// A session's journal: a snapshot plus its records restore the session, whatever was done to it; anything else is refused.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session } from "contextfold";
import { memoryJournals } from "contextfold/stores/memory";
import { shown, walk } from "../../fuzz/journal.mjs";
import { FORMATS, assistant, calls, conversation, failsWith, output, user } from "../support/session.mjs";

const wide = { contextWindow: 100_000 };
const said = (session) => session.messages.map((message) => message.content);

/** The frames of records, one by one. */
function frames(records) {
  const bytes = Buffer.from(records);
  const each = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 13 + bytes.readUInt32LE(at) + 8;
    each.push(bytes.subarray(at, end));
    at = end;
  }
  return each;
}

/** A frame with another body and a matching checksum. */
function reframed(frame, change) {
  const bytes = Buffer.from(frame);
  change(bytes);
  let sum = 0xcbf29ce484222325n;
  for (const byte of bytes.subarray(0, -8)) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
  bytes.writeBigUInt64LE(sum, bytes.length - 8);
  return bytes;
}

/** A session with one record for each text, and what a store holds of it. */
function recorded(...texts) {
  const session = new Session(wide);
  session.push(user("zero"));
  const { position } = session;
  const snapshot = session.snapshot();
  for (const text of texts) {
    session.push(user(text));
    assert.ok(session.position > position);
  }
  return { session, position, snapshot, records: frames(session.changes(position)) };
}

describe("a snapshot and its records restore the session, which goes on as the original does; so does a refreshed one", () => {
  for (const format of FORMATS)
    test(format, async () => {
      for (const seed of [1, 2, 3]) await walk(format, seed);
    });
});

describe("position and changes", () => {
  test("the position rises with each recorded change and nothing else", () => {
    const session = new Session(wide);
    const { position } = session;
    assert.ok(Number.isSafeInteger(position) && position > 0);
    assert.equal(session.position, position);
    assert.equal(session.changes(position).length, 0);
    session.push([user("one"), user("two")]);
    session.push(user("three"));
    assert.equal(session.position, position + 1);
    const changes = session.changes(position);
    assert.ok(changes.length > 0 && changes.length < 600, `${changes.length}`);
    assert.deepEqual([...session.changes(position)], [...changes]);
    assert.equal(session.changes(position + 1).length, 0);
    session.snapshot();
    assert.throws(() => session.unfold("nothing"));
    assert.throws(() => session.push({ role: 7 }));
    assert.equal(session.position, position + 1);
  });

  test("reading a view is not a change, but the next record includes its effect", () => {
    const session = new Session(wide);
    session.push(user("one"));
    const { position } = session;
    const snapshot = session.snapshot();
    for (const format of FORMATS) session.view(format);
    session.items();
    session.graph.nodes();
    assert.equal(session.position, position);
    session.recordUsage({ input_tokens: 500, output_tokens: 1 });
    const again = Session.restore(snapshot, { position, changes: session.changes(session.position - 1) });
    assert.equal(session.position, position + 1);
    for (const s of [session, again]) s.recordUsage({ input_tokens: 600, output_tokens: 1 });
    assert.equal(again.limit, session.limit);
  });

  test("positions start differently in each session, also in a copy", () => {
    const session = new Session(wide);
    const [first] = session.push(user("one"));
    const copies = [session, session.fork(first), Session.restore(session.snapshot()), new Session(wide)];
    assert.equal(new Set(copies.map((copy) => copy.position)).size, copies.length);
  });

  test("an invalid or future position is refused; one that is too old returns nothing", () => {
    const { session, position } = recorded("one");
    for (const wrong of [undefined, null, "7", -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 7n]) assert.throws(() => session.changes(wrong), failsWith("INVALID_ARGUMENT", /`since`/));
    assert.throws(() => session.changes(session.position + 1), failsWith("INVALID_ARGUMENT", new RegExp(`only at position ${session.position}`)));
    for (const before of [position - 1, 0]) assert.equal(session.changes(before), null);
  });

  test("the newest 256 KiB of changes are kept, and a single larger one is kept whole", () => {
    const session = new Session({ contextWindow: 10_000_000 });
    const { position } = session;
    for (let i = 0; i < 30; i++) {
      session.push(user(`${i} `.repeat(5_000)));
      assert.equal(session.position, position + i + 1);
    }
    assert.equal(session.changes(position), null);
    const kept = Array.from({ length: 30 }, (_, i) => session.changes(position + i)?.length ?? 0);
    const first = kept.findIndex((length) => length > 0);
    assert.ok(kept[first] <= 1 << 18 && kept[first] > 1 << 17, `${kept}`);
    session.push(user("x".repeat(1 << 19)));
    assert.equal(session.changes(session.position - 1).length > 1 << 19, true);
    assert.equal(session.changes(session.position - 2), null);
  });

  test("after an erase, no record contains the erased text", () => {
    const session = new Session(wide);
    const [, id] = session.push([user("one"), assistant("a secret"), user("two")]);
    const { position } = session;
    session.push(user("another secret"));
    assert.ok(session.changes(position).length > 0);
    session.erase(id);
    session.push(user("three"));
    assert.equal(session.changes(position), null);
    const behind = session.position - 1;
    const records = session.changes(behind);
    for (const bytes of [session.snapshot(), records ?? []]) assert.ok(!Buffer.from(bytes).includes("a secret"));
  });
});

describe("restore refuses anything but records of the session", () => {
  test("values that are not bytes, lists of bytes or positions are refused", () => {
    const { snapshot, position } = recorded("one");
    for (const changes of [null, "text", 7, {}, [7], [null], [[]]]) assert.throws(() => Session.restore(snapshot, { position, changes }), failsWith("INVALID_ARGUMENT", /`changes`/));
    for (const wrong of ["7", -1, 1.5, null, 2 ** 53]) assert.throws(() => Session.restore(snapshot, { position: wrong }), failsWith("INVALID_ARGUMENT", /`position`/));
  });

  test("records may come as one, in a list, or overlapping with the snapshot", () => {
    const { session, snapshot, position, records } = recorded("one", "two", "three");
    for (const changes of [Buffer.concat(records), records, [Buffer.concat(records.slice(0, 2)), new Uint8Array(0), records[2]]])
      assert.equal(shown(Session.restore(snapshot, { position, changes })), shown(session));
    const later = Session.restore(snapshot, { position, changes: records.slice(0, 2) });
    assert.equal(later.position, position + 2);
    const again = Session.restore(later.snapshot(), { position: later.position, changes: records });
    assert.deepEqual([said(again), again.position], [said(session), session.position]);
  });

  test("a missing or misplaced record is refused with its position", () => {
    const { snapshot, position, records } = recorded("one", "two", "three");
    const [one, two, three] = records;
    for (const [changes, words] of [
      [[two, three], new RegExp(`position ${position + 2} does not follow the snapshot, which is at position ${position}`)],
      [[one, three], new RegExp(`position ${position + 2} is missing: the next record is at position ${position + 3}`)],
      [[one, one], new RegExp(`position ${position + 2} is missing: the next record is at position ${position + 1}`)],
      [[two, one], /position/],
      [[one, two, three, two], /position/],
    ])
      assert.throws(() => Session.restore(snapshot, { position, changes }), failsWith("SNAPSHOT_INVALID", words));
  });

  test("a damaged record before whole ones is refused with its position; a damaged last one is left out and reported", async () => {
    const { snapshot, position, records } = recorded("one", "two", "three");
    for (const [at, record] of records.entries())
      for (let byte = 0; byte < record.length; byte += 3) {
        const damaged = [...records];
        damaged[at] = Buffer.from(record);
        damaged[at][byte] ^= 1 << byte % 8;
        if (at < 2) assert.throws(() => Session.restore(snapshot, { position, changes: damaged }), failsWith("SNAPSHOT_INVALID", /position \d+/), `${at} ${byte}`);
        else {
          const session = Session.restore(snapshot, { position, changes: damaged });
          assert.deepEqual([said(session), session.position], [["zero", "one", "two"], position + 2], `${byte}`);
          assert.match((await session.prepare()).report.notices.join(), /last record.*incomplete and was ignored/);
        }
      }
  });

  test("truncated anywhere, the whole records are restored; trailing zeros are not a record", () => {
    const { snapshot, position, records } = recorded("one", "two");
    const bytes = Buffer.concat(records);
    for (let end = 0; end <= bytes.length; end++)
      for (const rest of [0, bytes.length - end + 5]) {
        const session = Session.restore(snapshot, { position, changes: Buffer.concat([bytes.subarray(0, end), Buffer.alloc(rest)]) });
        assert.equal(session.position, position + (end === bytes.length ? 2 : end >= records[0].length ? 1 : 0), `${end}`);
        session.free();
      }
  });

  test("records of another session, or of one that diverged at the same position, are refused", () => {
    const { snapshot, position, records } = recorded("one", "two");
    const other = recorded("three", "four");
    assert.throws(() => Session.restore(snapshot, { position, changes: other.records }), failsWith("SNAPSHOT_INVALID", /position \d+/));
    const [a, b] = ["a", "b"].map((name) => {
      const session = Session.restore(snapshot, { position, changes: [records[0]] });
      const from = session.position;
      for (const n of [1, 2]) {
        session.push(user(`${name}${n}`));
        assert.equal(session.position, from + n);
      }
      return frames(session.changes(from));
    });
    assert.deepEqual(said(Session.restore(snapshot, { position, changes: [records[0], ...a] })), ["zero", "one", "a1", "a2"]);
    assert.throws(() => Session.restore(snapshot, { position, changes: [records[0], a[0], b[1]] }), failsWith("SNAPSHOT_INVALID", new RegExp(`position ${position + 3} does not follow.*saved over each other`)));
  });

  test("a record of a newer version is named as such; nonsense with a right checksum is refused", () => {
    const { snapshot, position, records } = recorded("one");
    const newer = reframed(records[0], (bytes) => (bytes[4] = 2));
    assert.throws(() => Session.restore(snapshot, { position, changes: newer }), failsWith("SNAPSHOT_TOO_NEW", new RegExp(`position ${position + 1} has version 2.*update contextfold`)));
    const newerBody = reframed(records[0], (bytes) => (bytes[13] = 99));
    assert.throws(() => Session.restore(snapshot, { position, changes: newerBody }), failsWith("SNAPSHOT_TOO_NEW", new RegExp(`position ${position + 1}.*version 99.*update contextfold`)));
    let refused = 0;
    for (let at = 14; at < records[0].length - 8; at++)
      for (const value of [0, 1, 127, 255]) {
        const changes = reframed(records[0], (bytes) => (bytes[at] = value));
        try {
          Session.restore(snapshot, { position, changes }).free();
        } catch (error) {
          assert.ok(["SNAPSHOT_INVALID", "SNAPSHOT_TOO_NEW", "INVALID_CONFIG"].includes(error.code), `${at} ${value}: ${error.code}`);
          refused++;
        }
      }
    assert.ok(refused > 100, `${refused}`);
    for (const end of [2n ** 53n, 2n ** 64n - 1n, 0n]) {
      const beyond = reframed(records[0], (bytes) => bytes.writeBigUInt64LE(end, 5));
      assert.throws(() => Session.restore(snapshot, { changes: [beyond, beyond] }), failsWith("SNAPSHOT_INVALID", /position/));
    }
  });

  test("options changed on restore are part of the next record", () => {
    const { snapshot, position, records } = recorded("one");
    const changed = Session.restore(snapshot, { position, changes: records, contextWindow: 7_000 });
    assert.equal(changed.position, position + 2);
    const more = changed.changes(position + 1);
    const again = Session.restore(snapshot, { position, changes: [...records, more] });
    assert.deepEqual([again.window, again.position, said(again)], [7_000, position + 2, ["zero", "one"]]);
    const same = Session.restore(snapshot, { position, changes: records });
    assert.equal(same.position, position + 1);
    const counted = Session.restore(snapshot, { position, changes: records, tokenizer: "bytes/4" });
    const behind = Session.restore(snapshot, { position, changes: [...records, counted.changes(counted.position - 1)] });
    assert.deepEqual([behind.tokens, behind.items()], [counted.tokens, counted.items()]);
  });
});

/** Two sessions on one key of a store, each with its own store object. */
async function pair(options = wide) {
  const place = memoryJournals();
  const a = new Session(options);
  a.push(user("one"));
  const [storeA, storeB] = [{ ...place }, { ...place }];
  await a.save(storeA, "k");
  const b = await Session.load(storeB, "k");
  return { a, b, place, storeA, storeB };
}

describe("refresh", () => {
  test("reports what else was saved, by records or by a snapshot, and reads no more than that", async () => {
    const { a, b, storeA, storeB, place } = await pair();
    const asked = [];
    storeB.read = (key, from) => (asked.push(from), place.read(key, from));
    assert.equal(await b.refresh(), false);
    for (const text of ["two", "x".repeat(100_000), "three"]) {
      a.push(user(text));
      await a.save(storeA, "k");
      assert.equal(await b.refresh(), true);
      assert.equal(shown(b), shown(a));
      assert.equal(b.position, a.position);
    }
    assert.ok(asked.every((from) => typeof from === "number"), `${asked}`);
    a.setOptions({ contextWindow: 50_000 });
    await a.save(storeA, "k");
    assert.equal(await b.refresh(), true);
    assert.equal(b.window, 50_000);
    b.push(user("from b"));
    await b.save(storeB, "k");
    assert.equal(await a.refresh(), true);
    assert.equal(shown(a), shown(b));
  });

  test("refuses if the session has unsaved changes or was removed, and nothing has changed", async () => {
    const { a, b, storeA, place } = await pair();
    a.push(user("two"));
    await a.save(storeA, "k");
    b.push(user("mine"));
    const before = shown(b);
    await assert.rejects(b.refresh(), failsWith("STORE_CONFLICT", /Load the session again and push the new messages/));
    assert.equal(shown(b), before);
    await place.remove("k");
    await assert.rejects(a.refresh(), failsWith("STORE_CONFLICT", /was removed/));
    await assert.rejects(new Session(wide).refresh(), failsWith("INVALID_ARGUMENT", /not loaded.*or saved/));
  });

  test("a session that was only read has no unsaved changes", async () => {
    const { a, b, storeA } = await pair();
    a.push(user("two"));
    await a.save(storeA, "k");
    b.view("openai-chat");
    b.items();
    assert.equal(await b.refresh(), true);
    assert.deepEqual(said(b), ["one", "two"]);
  });

  test("messages pushed while the store is read are not lost", async () => {
    for (const read of [1, 2]) {
      const { a, b, storeA, storeB, place } = await pair();
      a.setOptions({ contextWindow: 50_000 }); // read again
      a.push(user("two"));
      await a.save(storeA, "k");
      let reads = 0;
      storeB.read = async (...args) => {
        const there = await place.read(...args);
        if (++reads === read) b.push(user("mine"));
        return there;
      };
      await assert.rejects(b.refresh(), failsWith("STORE_CONFLICT"));
      assert.deepEqual(said(b), ["one", "mine"], `read ${read}`);
    }
  });

  test("the session's own save during a refresh is not taken for another's", async () => {
    const { a, storeA, place } = await pair();
    const slow = () => new Promise((resolve) => setTimeout(resolve, 5));
    for (const method of ["read", "append"])
      storeA[method] = async (...args) => {
        await slow();
        const done = await place[method](...args);
        await slow();
        return done;
      };
    a.push(user("two"));
    const saves = [a.save(storeA, "k")];
    const refreshed = [a.refresh()];
    await slow();
    a.push(user("three"));
    saves.push(a.save(storeA, "k"));
    refreshed.push(a.refresh());
    await Promise.all(saves);
    assert.deepEqual(await Promise.all(refreshed), [false, false]);
    assert.deepEqual(said(await Session.load(place, "k")), ["one", "two", "three"]);
  });

  test("records that do not follow, or are damaged, fail as STORE_FAILED and change nothing", async () => {
    const { a, b, storeA, storeB, place } = await pair();
    for (const text of ["two", "three"]) {
      a.push(user(text));
      await a.save(storeA, "k");
    }
    const before = [shown(b), b.position];
    const [two, three] = frames((await place.read("k", b.position)).records);
    const spoilt = reframed(two, (bytes) => (bytes[bytes.length - 12] ^= 255));
    const damaged = Buffer.from(two);
    damaged[20] ^= 1;
    for (const records of [[three], [damaged, three], [three, two], [spoilt], [two, three.subarray(0, -3)], [two], [damaged], []]) {
      storeB.read = async (...args) => ({ ...(await place.read(...args)), records: Buffer.concat(records) });
      await assert.rejects(b.refresh(), failsWith("STORE_FAILED"), `${records.length}`);
      assert.deepEqual([shown(b), b.position], before);
    }
    storeB.read = place.read;
    assert.equal(await b.refresh(), true);
    assert.equal(shown(b), shown(a));
  });

  test("the graph shows calls under their current ids", async () => {
    const { a, b, storeA } = await pair();
    const list = [user("go"), calls("first"), output("first", "done")];
    a.sync("openai-chat", list);
    await a.save(storeA, "k");
    await b.refresh();
    b.graph.nodes();
    a.sync("openai-chat", JSON.parse(JSON.stringify(list).replaceAll("first", "second")));
    a.push(user("more"));
    await a.save(storeA, "k");
    await b.refresh();
    assert.deepEqual(b.graph.nodes(), Session.restore(a.snapshot()).graph.nodes());
  });

  test("a plan from before a refresh is stale", async () => {
    const { a, b, storeA } = await pair({ contextWindow: 3_000 });
    a.push(conversation(6, 60));
    await a.save(storeA, "k");
    await b.refresh();
    const plan = b.plan();
    a.setOptions({ contextWindow: 2_000 });
    await a.compact();
    await a.save(storeA, "k");
    await b.refresh();
    await assert.rejects(async () => plan.apply(), failsWith("STALE_PLAN"));
  });
});

describe("a new session under the key of a removed one", () => {
  for (const order of ["before", "behind"])
    test(`is neither overwritten nor mistaken for it if its position is ${order} that of the other`, async () => {
      for (;;) {
        const place = memoryJournals();
        const a = new Session(wide);
        a.push(user("of a"));
        await a.save(place, "k");
        await place.remove("k");
        const b = new Session(wide);
        b.push(user("of b"));
        await b.save(place, "k");
        if ((b.position < a.position) !== (order === "before")) continue;
        await assert.rejects(a.refresh(), failsWith("STORE_CONFLICT"));
        a.push(user("more of a"));
        await assert.rejects(a.save(place, "k"), failsWith("STORE_CONFLICT"));
        assert.deepEqual([said(a), said(await Session.load(place, "k"))], [["of a", "more of a"], ["of b"]]);
        return;
      }
    });
});

describe("saves", () => {
  /** A journal store whose answers get lost, and which then cannot be read for a while. */
  function losing() {
    const place = memoryJournals();
    const store = { ...place, place, lose: 0, down: 0 };
    for (const method of ["append", "replace"])
      store[method] = async (...args) => {
        await place[method](...args);
        if (store.lose-- > 0) throw new Error("the connection broke");
      };
    store.read = async (...args) => {
      if (store.down-- > 0) throw new Error("the connection broke");
      return place.read(...args);
    };
    return store;
  }

  test("changes made while a save checks the outcome of the previous one are saved once", async () => {
    for (const size of [10, 100_000]) {
      const store = losing();
      const session = new Session({ contextWindow: 1_000_000 });
      session.push(user("one"));
      await session.save(store, "k");
      session.push(user("two"));
      [store.lose, store.down] = [1, 1];
      await assert.rejects(session.save(store, "k"), failsWith("STORE_FAILED"));
      const three = "3".repeat(size);
      session.push(user(three));
      const { read } = store;
      store.read = async (...args) => {
        const there = await read(...args);
        session.push(user("four"));
        session.position;
        store.read = read;
        return there;
      };
      await session.save(store, "k");
      session.push(user("five"));
      await session.save(store, "k");
      const loaded = await Session.load(store.place, "k");
      assert.deepEqual(said(loaded), ["one", "two", three, "four", "five"]);
      assert.deepEqual(said(session), said(loaded));
    }
  });

  test("a save whose answer got lost is confirmed even when its records are no longer kept", async () => {
    for (const then of [(session) => session.erase(session.items()[0].id), (session) => {
      for (let i = 0; i < 4; i++) {
        session.push(user(`${i}`.repeat(100_000)));
        session.position;
      }
    }]) {
      const store = losing();
      const session = new Session({ contextWindow: 1_000_000 });
      session.push(user("one"));
      await session.save(store, "k");
      session.push(user("two"));
      [store.lose, store.down] = [1, 1];
      await assert.rejects(session.save(store, "k"), failsWith("STORE_FAILED"));
      then(session);
      await session.save(store, "k");
      assert.deepEqual(said(await Session.load(store.place, "k")), said(session));
    }
  });

  test("another store object is recognised as the same place only if it holds what was saved there", async () => {
    const [one, two] = [memoryJournals(), memoryJournals()];
    const first = new Session(wide);
    first.push(user("one"));
    await first.save(one, "k");
    const [a, b] = [await Session.load(one, "k"), await Session.load(one, "k")];
    for (const text of ["a1", "a2"]) {
      a.push(user(text));
      await a.save({ ...two }, "k");
    }
    await a.save({ ...two }, "k");
    b.push(user("b1"));
    b.position;
    b.push(user("b2"));
    await b.save(one, "k");
    assert.equal(a.position, b.position);
    a.push(user("a3"));
    await assert.rejects(a.save({ ...one }, "k"), failsWith("STORE_CONFLICT"));
    await a.save({ ...two }, "k");
    assert.deepEqual([said(await Session.load(one, "k")), said(await Session.load(two, "k"))], [["one", "b1", "b2"], ["one", "a1", "a2", "a3"]]);
  });

  test("an incomplete last record is left out, reported, and removed by the next save", async () => {
    const place = memoryJournals();
    const session = new Session(wide);
    for (const text of ["one", "two", "three"]) {
      session.push(user(text));
      await session.save(place, "k");
    }
    const store = { ...place, read: async (...args) => {
      const there = await place.read(...args);
      if (there?.records.length > 100) there.records[there.records.length - 12] ^= 1;
      return there;
    } };
    const loaded = await Session.load(store, "k");
    assert.deepEqual(said(loaded), ["one", "two"]);
    assert.match((await loaded.prepare()).report.notices.join(), /last record.*incomplete and was ignored/);
    loaded.push(user("four"));
    await loaded.save(store, "k");
    assert.equal((await loaded.prepare()).report.notices, undefined);
    assert.deepEqual(said(await Session.load(place, "k")), ["one", "two", "four"]);
    session.push(user("beside that"));
    await assert.rejects(session.save(place, "k"), failsWith("STORE_CONFLICT"));
  });

  test("a store restored to an older state gets the missing changes", async () => {
    const place = memoryJournals();
    const session = new Session(wide);
    session.push(user("one"));
    await session.save(place, "k");
    const { position, snapshot } = await place.read("k");
    session.push(user("two"));
    await session.save(place, "k");
    await place.remove("k");
    await place.replace("k", null, snapshot, position);
    assert.equal(await session.refresh(), false);
    session.push(user("three"));
    await session.save(place, "k");
    assert.deepEqual(said(await Session.load(place, "k")), ["one", "two", "three"]);
  });
});

test("a record with a right checksum that names missing messages is harmless", async () => {
  const list = [user("one"), user("two"), assistant("three")];
  const place = memoryJournals();
  const a = new Session(wide);
  a.sync("openai-chat", list.slice(0, 1));
  await a.save(place, "k");
  const { position } = a;
  a.sync("openai-chat", list);
  await a.save(place, "k");
  const [frame] = frames(a.changes(position));
  for (let at = 14; at < frame.length - 8; at++) {
    const broken = reframed(frame, (bytes) => (bytes[at] = 100));
    const early = { ...place, read: async () => ({ ...(await place.read("k")), position, records: new Uint8Array(0) }) };
    const b = await Session.load(early, "k");
    early.read = async (key, from) => ({ ...(await place.read(key, from)), records: broken });
    const deeds = [() => b.refresh(), () => b.sync("openai-chat", structuredClone(list)), () => b.view("anthropic"), () => b.rewind(b.items()[0].id), () => b.snapshot()];
    for (const deed of deeds)
      try {
        await deed();
      } catch (error) {
        assert.ok(error.code && error.code !== "INTERNAL", `byte ${at}: ${deed} ${error.message}`);
      }
    b.free();
  }
});
