// 10,000 seeded torn or damaged journals. Each is refused with an error that names the position, or read up to the edge of a record,
// which is reported; the result is always a state that was saved once.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ContextError, Session } from "contextfold";
import { fileStore } from "contextfold/stores/files";
import { memoryJournals, memoryStore } from "contextfold/stores/memory";
import { segmented } from "contextfold/stores/segments";
import { random } from "../../benches/tokens/generate.mjs";
import { frame, wholeAt } from "../../pkg/stores/frames.js";
import { assistant, calls, output, user } from "../support/session.mjs";

const SEED = 20261126;
const CASES = { restore: 6_000, "a store": 1_500, files: 1_500, segments: 1_000 };
const REFUSED = ["SNAPSHOT_INVALID", "SNAPSHOT_TOO_NEW", "STORE_FAILED"];
const START = 7_130_211_004_823;
const OPTIONS = { contextWindow: 12_000, reservedOutputTokens: 1_000 };

/** What a caller sees of a session, and everything else that it would save. */
function seenOf(session) {
  const views = ["messages", "openai-chat", "anthropic"].map((format) => session.view(format));
  const sum = createHash("sha256").update(session.snapshot());
  return sum.update(JSON.stringify([views, session.messages, session.folds(), session.tokens])).digest("hex");
}

const DOINGS = [
  (session, told, n) => session.push(user(`${told}: ${"what is there ".repeat(20 + n)}`)),
  (session, told, n) => session.push([calls(told), output(told, `${told}\n`.repeat(150 + 10 * n))]),
  (session, told, n) => session.push(assistant(`${told}: 日本語 😀 ${"it is ".repeat(n)}`)),
  (session, told) => session.pushFrom("anthropic", [{ role: "user", content: [{ type: "text", text: told, cache_control: { type: "ephemeral" } }] }]),
  (session) => session.compact(),
  (session, told, n) => session.setTools("openai-chat", [{ type: "function", function: { name: `tool_${n}`, description: told, parameters: {} } }]),
  (session, told) => session.pin(session.push(user(`${told}: never forget this`))[0]),
  (session, told) => session.sync("openai-chat", [...session.view("openai-chat"), user(`${told}: synced`)]),
];

/** A session with all kinds of operations, saved after each: its snapshot, its records, and its state at each position. */
async function saved(name, start = START, steps = 30) {
  const made = new Session(OPTIONS);
  const act = (session, n) => DOINGS[n % DOINGS.length](session, `${name} ${n}`, n);
  let n = 0;
  for (; n < DOINGS.length; n++) await act(made, n);
  const session = Session.restore(made.snapshot(), { position: start });
  const snapshot = session.snapshot();
  assert.equal(session.position, start);
  const states = new Map([[seenOf(session), start]]);
  for (let last = start; n < DOINGS.length + steps; n++) {
    await act(session, n);
    last += session.position > last ? 1 : 0;
    assert.equal(session.position, last);
    states.set(seenOf(session), last);
  }
  return { session, snapshot, records: framesOf(session.changes(start)), states };
}

function framesOf(bytes) {
  const frames = [];
  for (let at = 0; at < bytes.length; at += frames.at(-1).length) frames.push(bytes.slice(at, at + wholeAt(bytes, at)));
  return frames;
}

const next = random(SEED);
const int = (bound) => Math.floor(next() * bound);
const garbage = (length) => Uint8Array.from({ length }, () => int(256));
const joined = (arrays) => Uint8Array.from(Buffer.concat(arrays));

/** Flips one to three bits; writes zeros, or garbage, over some bytes. */
function harmed(bytes) {
  const out = Uint8Array.from(bytes);
  const kind = int(3);
  if (kind === 0) for (let n = 1 + int(3); n > 0; n--) out[int(out.length)] ^= 1 << int(8);
  else {
    const from = int(out.length);
    const length = Math.min(out.length - from, 1 + int(60));
    out.set(kind === 1 ? new Uint8Array(length) : garbage(length), from);
  }
  return out;
}

/** The index of a record other than the first. */
const edge = (records) => 1 + int(records.length - 1);
const without = (list, from, count) => [...list.slice(0, from), ...list.slice(from + count)];

/**
 * Damages records and returns the rest. If the rest ends at a record's edge, nobody can tell that there was more.
 */
const DAMAGES = {
  "cut at any byte": (records) => {
    const all = joined(records);
    return all.slice(0, int(all.length));
  },
  "cut at a record's edge": (records) => {
    const whole = int(records.length);
    return joined(records.slice(0, whole));
  },
  "bits flipped, bytes zeroed or overwritten": (records) => harmed(joined(records)),
  "zeros from some byte on": (records) => {
    const all = joined(records);
    return all.fill(0, int(all.length));
  },
  "garbage from some byte on": (records) => {
    const all = joined(records);
    return joined([all.slice(0, int(all.length)), garbage(int(3_000))]);
  },
  "garbage in the middle": (records) => {
    const at = edge(records);
    return joined([...records.slice(0, at), garbage(1 + int(100)), ...records.slice(at)]);
  },
  "records dropped": (records) => joined(without(records, int(records.length - 1), 1)),
  "a record doubled": (records) => {
    const at = int(records.length);
    return joined([...records.slice(0, at), records[at], ...records.slice(at)]);
  },
  "records swapped": (records) => {
    const at = edge(records);
    return joined([...records.slice(0, at - 1), records[at], records[at - 1], ...records.slice(at + 1)]);
  },
  // A record of another journal at the same positions, as if two processes had saved at once.
  "a record of another session": (records, { others }) => {
    const at = edge(records);
    return joined([...records.slice(0, at), others[at], ...records.slice(at + 1)]);
  },
  "another session's records behind one": (records, { others }) => {
    const at = edge(records);
    return joined([...records.slice(0, at), ...others.slice(at)]);
  },
  "all records are another session's": (records, { elsewhere }) => joined(elsewhere.slice(0, 1 + int(elsewhere.length))),
  "a record of a newer version": (records) => {
    const at = int(records.length);
    const body = records[at].slice(13, -8);
    body[0] = 100;
    return joined([...records.slice(0, at), frame(START + 1 + at, body), ...records.slice(at + 1)]);
  },
};

const SNAPSHOT_DAMAGES = [
  harmed,
  (snapshot) => snapshot.slice(0, int(snapshot.length)),
  (snapshot) => joined([`contextfold-session ${int(10)}`, snapshot.slice("contextfold-session 5".length)].map(Buffer.from)),
];

describe("damaged journals", () => {
  let one, other, elsewhere;
  const outcomes = {};
  before(async () => {
    [one, other, elsewhere] = [await saved("one"), await saved("other"), await saved("elsewhere", 3 * START)];
    assert.ok(one.records.length > 25 && one.session.folds().length > 0);
  });

  function count(how, kind, outcome) {
    const of = ((outcomes[how] ??= {})[kind] ??= {});
    of[outcome] = (of[outcome] ?? 0) + 1;
  }

  /** The position up to which the records are whole, and whether that is all of the bytes. */
  function wholePart(bytes) {
    let at = 0;
    let position = START;
    for (const record of one.records) {
      if (Buffer.compare(bytes.subarray(at, at + record.length), record) !== 0) break;
      at += record.length;
      position += 1;
    }
    return { position, isAll: at === bytes.length };
  }

  /** Reads a damaged journal; fails if the result is wrong. Returns the outcome in a word. */
  async function outcomeOf(read, { bytes, isSnapshot = false, knowsEnd = false }) {
    const { position: wholeTo, isAll } = bytes ? wholePart(bytes) : {};
    let session;
    try {
      session = await read();
    } catch (error) {
      assert.ok(ContextError.isInstance(error) && REFUSED.includes(error.code), `${error.stack}`);
      const said = `${error.message}\n${error.cause?.message ?? ""}`;
      if (isSnapshot) return `refused, ${error.code}`;
      const [, named] = /position (\d+)/.exec(said) ?? assert.fail(`names no position: ${said}`);
      assert.ok(Number(named) >= wholeTo && (Number(named) <= START + one.records.length + 1 || Number(named) > 3 * START), `${named} is named, and what is whole ends at ${wholeTo}: ${said}`);
      return `refused, ${error.code}`;
    }
    try {
      const at = one.states.get(seenOf(session));
      assert.ok(at !== undefined, "it is none of the states that were saved");
      const { notices = [] } = (await session.prepare()).report;
      const isTold = notices.some((notice) => /is incomplete and was ignored|were cut off|was cut off/.test(notice));
      if (bytes) assert.equal(at, wholeTo, "what is whole at the beginning");
      if (isSnapshot) assert.equal(at, START + one.records.length);
      else assert.equal(isTold, !isAll || (knowsEnd && at < START + one.records.length), `told: ${notices}`);
      return isTold ? "cut off and told" : at === START + one.records.length ? "as it was" : "ends at a record's edge";
    } finally {
      session.free();
    }
  }

  const kinds = Object.keys(DAMAGES);
  const damagedRecords = (n) => ({ bytes: DAMAGES[kinds[n % kinds.length]](one.records, { others: other.records, elsewhere: elsewhere.records }) });

  test("restored", async () => {
    for (let n = 0; n < CASES.restore; n++) {
      if (n % 6 === 5) {
        const snapshot = SNAPSHOT_DAMAGES[(n / 6) % 3 | 0](one.snapshot);
        const read = () => Session.restore(snapshot, { position: START, changes: joined(one.records) });
        count("restore", "the snapshot damaged", await outcomeOf(read, { isSnapshot: true }));
        continue;
      }
      const damaged = damagedRecords(n);
      const read = () => Session.restore(one.snapshot, { position: START, changes: damaged.bytes });
      count("restore", kinds[n % kinds.length], await outcomeOf(read, damaged));
    }
  });

  test("loaded from a store that returns damaged data", async () => {
    for (let n = 0; n < CASES["a store"]; n++) {
      const damaged = damagedRecords(n);
      const journal = { position: wholePart(damaged.bytes).position, snapshot: one.snapshot, snapshotPosition: START, records: damaged.bytes };
      const store = { ...memoryJournals(), read: async () => journal };
      count("a store", kinds[n % kinds.length], await outcomeOf(() => Session.load(store, "chat"), damaged));
    }
  });

  describe("in files", () => {
    const folder = mkdtempSync(join(tmpdir(), "contextfold-damaged-"));
    after(() => rmSync(folder, { recursive: true, force: true }));

    test("loaded, and saved again", async () => {
      const store = fileStore(folder, { fsync: false });
      await store.replace("chat", null, one.snapshot, START);
      await store.append("chat", START, one.records);
      const path = join(folder, "journals", readdirSync(join(folder, "journals"))[0]);
      const file = readFileSync(path);
      const head = file.subarray(0, file.length - joined(one.records).length);
      for (let n = 0; n < CASES.files; n++) {
        const isSnapshot = n % 6 === 5;
        const damaged = isSnapshot ? { isSnapshot } : damagedRecords(n);
        writeFileSync(path, isSnapshot ? joined([harmed(head), ...one.records]) : joined([head, damaged.bytes]));
        const outcome = await outcomeOf(() => Session.load(fileStore(folder), "chat"), damaged);
        count("files", isSnapshot ? "the head or the snapshot damaged" : kinds[n % kinds.length], outcome);
        if (outcome === "cut off and told" && n % 4 === 0) await goesOn(() => fileStore(folder, { fsync: false }));
      }
    });
  });

  test("in segments", async () => {
    const items = memoryStore();
    const put = segmented(items);
    await put.replace("chat", null, one.snapshot, START);
    for (const [i, record] of one.records.entries()) await put.append("chat", START + i, [record]);
    const names = (await items.getKeys("chat:")).filter((name) => !name.endsWith(":head"));
    const whole = new Map(await Promise.all(names.map(async (name) => [name, await items.getItemRaw(name)])));
    const headText = await items.getItem("chat:head");
    for (let n = 0; n < CASES.segments; n++) {
      for (const name of await items.getKeys("chat:")) await items.removeItem(name);
      for (const [name, bytes] of whole) await items.setItemRaw(name, bytes);
      await items.setItem("chat:head", headText);
      const name = names[int(names.length)];
      const bytes = whole.get(name);
      const isSnapshot = name.includes(":v:");
      const isCut = n % 3 === 0;
      await items.setItemRaw(name, isCut ? bytes.slice(0, int(bytes.length)) : harmed(bytes));
      const segments = names.filter((name) => name.includes(":s:")).sort((a, b) => fromOf(a) - fromOf(b));
      const all = joined(await Promise.all(segments.map((name) => items.getItemRaw(name))));
      const outcome = await outcomeOf(() => Session.load(segmented(items), "chat"), isSnapshot ? { isSnapshot } : { bytes: all, knowsEnd: true });
      count("segments", isSnapshot ? "the snapshot damaged" : "a segment cut off, flipped, zeroed or overwritten", outcome);
      if (outcome === "cut off and told" && isCut) await goesOn(() => segmented(items));
    }
  });

  const fromOf = (name) => parseInt(/:s:([0-9a-z]+)-/.exec(name)[1], 36);

  /** What was cut off is removed by the next save, and later readers get no report of it. */
  async function goesOn(open) {
    const session = await Session.load(open(), "chat");
    session.push(user("and on"));
    await session.save(open(), "chat");
    session.push(user("and on again"));
    await session.save(open(), "chat");
    const again = await Session.load(open(), "chat");
    assert.equal(seenOf(again), seenOf(session));
    assert.deepEqual((await again.prepare()).report.notices ?? [], []);
    again.free();
    session.free();
  }

  // Here a store cannot see that the last record is damaged, and reports a position after it.
  for (const [name, open] of Object.entries({ "in memory": memoryJournals, segments: () => segmented(memoryStore()) }))
    test(`${name}: if the last record is damaged but not cut short, the session can be saved again`, async () => {
      const whole = open();
      await whole.replace("chat", null, one.snapshot, START);
      const last = one.records.at(-1).slice();
      last[last.length - 12] ^= 1;
      await whole.append("chat", START, [...one.records.slice(0, -1), last]);
      const session = await Session.load(whole, "chat");
      session.push(user("and on"));
      await session.save(whole, "chat");
      assert.equal(seenOf(await Session.load(whole, "chat")), seenOf(session));
    });

  test("each kind of outcome occurred", (t) => {
    const sums = {};
    for (const [how, kinds] of Object.entries(outcomes))
      for (const [kind, of] of Object.entries(kinds)) {
        t.diagnostic(`${how}, ${kind}: ${Object.entries(of).map(([outcome, n]) => `${n} ${outcome}`).join(", ")}`);
        for (const [outcome, n] of Object.entries(of)) sums[outcome] = (sums[outcome] ?? 0) + n;
      }
    t.diagnostic(JSON.stringify(sums));
    assert.equal(Object.values(sums).reduce((a, b) => a + b), 10_000);
    for (const outcome of ["refused, SNAPSHOT_INVALID", "refused, SNAPSHOT_TOO_NEW", "refused, STORE_FAILED", "cut off and told", "ends at a record's edge", "as it was"]) assert.ok(sums[outcome] > 0, outcome);
  });
});
