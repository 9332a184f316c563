// A fleet: processes that save the same sessions and are killed again and again. `npm run bench:stores -- --fleet` runs the large one.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { check, fleet } from "./fleet/fleet.mjs";
import { keysOf } from "./fleet/messages.mjs";
import { missing, startPostgres, startRedis } from "./servers.mjs";

const SMALL = { processes: 4, sessions: 60, saves: 600, killEveryMs: 400, seed: 20261126, withinMs: 300_000 };

describe("a fleet of processes, one of which is killed again and again", () => {
  const folder = mkdtempSync(join(tmpdir(), "contextfold-fleets-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const places = [
    ["files", () => ({ url: join(folder, "files"), stop: () => {} })],
    ["sqlite", () => ({ url: join(folder, "sessions.db"), stop: () => {} })],
    ["redis", startRedis],
    ["postgres", startPostgres],
  ];
  for (const [kind, started] of places)
    test(`${kind}: nothing acknowledged is lost or duplicated, and all processes see the same`, { skip: missing[kind] || (kind in missing && missing.clients), timeout: 330_000 }, async (t) => {
      const { url, stop } = await started();
      try {
        const { acknowledged, kills, conflicts, unacknowledged, seconds } = await fleet({ kind, place: url, ...SMALL });
        assert.ok(kills > 0 && conflicts > 0, "processes were killed and met each other");
        t.diagnostic(`${acknowledged} saves in ${seconds.toFixed(1)} s, ${conflicts} conflicts, ${kills} processes killed, ${unacknowledged} of their last saves there`);
      } finally {
        await stop();
      }
    });
});

describe("what the fleet's checks detect", () => {
  const keys = keysOf({ sessions: 3, processes: 1 });
  const key = keys.own[0];
  /** What is seen if two messages were acknowledged and both were found. */
  const told = (change) => {
    const seen = () => ({ [key]: { bytes: "b", views: "v", notices: [], said: [{ process: "p0-0", n: 1 }, { process: "p0-0", n: 2 }] } });
    const told = { log: [1, 2].map((n) => ({ process: "p0-0", n, key })), readers: [seen(), seen()], refreshed: [{ [key]: { bytes: "b", views: "v" } }], keys, saves: 2, kills: 1 };
    change?.(told);
    return told;
  };
  const said = ({ readers }) => readers[0][key].said;

  test("nothing if everything is there", () => assert.equal(check(told()).written, 1));
  const faults = {
    "is lost": (told) => said(told).pop(),
    "stands twice": (told) => said(told).push({ process: "p0-0", n: 2 }),
    "stands before an earlier one": (told) => said(told).reverse(),
    "is not what was said": (told) => said(told).push(null),
    "neither acknowledged nor the last one": (told) => said(told).push({ process: "p0-0", n: 4 }),
    "read with a notice": (told) => told.readers[0][key].notices.push("a record was cut off"),
    "two processes that load it see the same": (told) => (told.readers[1][key].bytes = "c"),
    "other bytes where it was refreshed": (told) => (told.refreshed[0][key].bytes = "c"),
    "looks otherwise where it was refreshed": (told) => (told.refreshed[0][key].views = "w"),
  };
  for (const [words, fault] of Object.entries(faults)) test(`detects ${words}`, () => assert.throws(() => check(told(fault)), new RegExp(words)));
  test("but not the missing last save of a killed process", () => assert.equal(check(told((told) => said(told).push({ process: "p0-0", n: 3 }))).unacknowledged, 1));
});
