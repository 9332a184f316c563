// Data saved in stores by earlier versions can be read and continued.
//
// `CONTEXTFOLD_WRITE_FIXTURES=1` writes the journal of the current version: once for each version of frames or of snapshots, and
// never changed after a release.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Session } from "contextfold";
import { fileStore } from "contextfold/stores/files";
import { memoryJournals, memoryStore } from "contextfold/stores/memory";
import { segmented } from "contextfold/stores/segments";
import { calls, conversation, output, stateOf, user } from "../support/session.mjs";

const fixture = (name) => new URL(`../fixtures/${name}`, import.meta.url);
/** The version of frames, and of the snapshots in their bodies. */
const JOURNAL = "journal-v1-v1";
const START = 7_130_211_004_823;
const OPTIONS = { contextWindow: 100_000, summarize: () => "<summary>the gist</summary>" };

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe("a journal of frames of version 1 and snapshots of version 1", () => {
  const steps = [
    (s) => s.push(user("How far are we?")),
    (s) => s.sync("openai-chat", [...s.view("openai-chat"), calls("c9"), output("c9", "line of c9\n".repeat(50))]),
    (s) => s.compact(),
    (s) => s.pushFrom("anthropic", [{ role: "user", content: [{ type: "text", text: "日本語 😀", cache_control: { type: "ephemeral" } }] }]),
    (s) => s.setTools("openai-chat", [{ type: "function", function: { name: "read", parameters: {} } }]),
    (s) => s.pin(s.push(user("Never forget this."))[0]),
    (s) => s.setOptions({ contextWindow: 90_000 }),
    (s) => s.toolOutputs.append("stream", new Uint8Array([0xe6, 0x97])),
    (s) => s.rewind(s.items().at(-1).id),
  ];

  /** The session with the first `count` steps done; its journal starts at `START`. */
  async function made(count = steps.length) {
    const begun = new Session(OPTIONS);
    begun.sync("openai-chat", conversation(4, 60));
    begun.toolOutputs.put("begins ", { id: "stream" });
    const session = Session.restore(begun.snapshot(), { position: START, summarize: OPTIONS.summarize });
    const snapshot = session.snapshot();
    assert.equal(session.position, START);
    for (const step of steps.slice(0, count)) {
      await step(session);
      session.position; // makes a record
    }
    return { session, snapshot, records: session.changes(START) };
  }

  const [snapshotFile, recordsFile] = [fixture(`${JOURNAL}.snapshot`), fixture(`${JOURNAL}.records`)];
  const given = { summarize: OPTIONS.summarize };
  const written = () => [readFileSync(snapshotFile), readFileSync(recordsFile)].map((bytes) => new Uint8Array(bytes));
  const folder = mkdtempSync(join(tmpdir(), "contextfold-before-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("the current version writes the same bytes", async () => {
    const { snapshot, records } = await made();
    if (process.env.CONTEXTFOLD_WRITE_FIXTURES) {
      writeFileSync(snapshotFile, snapshot);
      writeFileSync(recordsFile, records);
    }
    const [snapshotThen, recordsThen] = written();
    assert.ok(snapshotThen.length + recordsThen.length < 100_000);
    assert.deepEqual(snapshot, snapshotThen);
    assert.deepEqual(records, recordsThen);
  });

  test("is read record by record", async () => {
    const [snapshot, records] = written();
    let end = 0;
    for (const count of range(0, steps.length)) {
      const { session } = await made(count);
      assert.equal(session.position, START + count, "each step is a record");
      const again = Session.restore(snapshot, { position: START, changes: records.slice(0, end), ...given });
      assert.deepEqual(stateOf(again), stateOf(session), `behind ${count} records`);
      if (count < steps.length) end += 21 + new DataView(records.buffer).getUint32(end, true);
    }
    assert.equal(end, records.length);
  });

  /** FNV-1a, 64 bit, as described in the documentation of the formats. */
  function fnv(bytes) {
    let sum = 0xcbf29ce484222325n;
    for (const byte of bytes) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
    return sum;
  }

  const uint64 = (...numbers) => {
    const bytes = Buffer.alloc(8 * numbers.length);
    numbers.forEach((number, i) => bytes.writeBigUInt64LE(BigInt(number), 8 * i));
    return bytes;
  };

  /** Written by hand and not by the stores: these must keep reading what they write today. */
  const places = {
    "the journals of a server": async (snapshot, records) => {
      const store = memoryJournals();
      await store.replace("chat", null, snapshot, START);
      await store.append("chat", START, framesOf(records));
      return () => store;
    },
    "a file": async (snapshot, records) => {
      const head = Buffer.concat([Buffer.from("contextfold journal 1 chat\n"), Buffer.from("12345678"), uint64(START, snapshot.length)]);
      mkdirSync(join(folder, "journals"));
      writeFileSync(join(folder, "journals", "chat"), Buffer.concat([head, uint64(fnv(head)), snapshot, records]));
      return () => fileStore(folder);
    },
    "items": async (snapshot, records) => {
      const items = memoryStore();
      const version = `p${START.toString(36)}-00000001-${fnv(snapshot).toString(16).padStart(16, "0")}`;
      await items.setItemRaw(`chat:v:${version}`, snapshot);
      const [first, ...others] = framesOf(records);
      const two = `chat:s:${(START + 1).toString(36)}-${others.length.toString(36)}-00000002-00000003`;
      await items.setItemRaw(`chat:s:${START.toString(36)}-1-00000001-00000002`, first);
      await items.setItemRaw(two, Buffer.concat(others));
      const words = `j1 ${version} ${START} 1.00000002 ${others.length.toString(36)}.00000003`;
      const sum = (fnv(Buffer.from(words)) & 0xffffffffn).toString(16).padStart(8, "0");
      await items.setItem("chat:head", `${words} ~${sum}`);
      return () => items;
    },
  };

  for (const [place, write] of Object.entries(places))
    test(`is loaded from ${place} and continued`, async () => {
      const open = await write(...written());
      const { session } = await made();
      const again = await Session.load(open(), "chat", given);
      assert.deepEqual(stateOf(again), stateOf(session));
      assert.equal(again.position, session.position);
      for (const one of [session, again]) one.push(user("and on"));
      await again.save(open(), "chat");
      assert.deepEqual(stateOf(await Session.load(open(), "chat", given)), stateOf(session));
    });

  function framesOf(records) {
    const frames = [];
    const view = new DataView(records.buffer, records.byteOffset);
    for (let at = 0; at < records.length; at += frames.at(-1).length) frames.push(records.slice(at, at + 21 + view.getUint32(at, true)));
    return frames;
  }
});
