// Runs the large fleet: `npm run bench:stores -- --fleet`.

import { join } from "node:path";
import { fleet } from "../../tests/stores/fleet/fleet.mjs";
import { missing, startPostgres, startRedis } from "../../tests/stores/servers.mjs";
import { temporary } from "./stores.mjs";

const PLACES = {
  files: async () => ({ url: temporary("fleet-files") }),
  sqlite: async () => ({ url: join(temporary("fleet-sqlite"), "sessions.db") }),
  redis: startRedis,
  postgres: startPostgres,
};

export async function run({ only, quick, table }) {
  const rows = [];
  for (const [kind, start] of Object.entries(PLACES)) {
    if (only && !only.includes(kind)) continue;
    const why = missing[kind] || (kind in missing && missing.clients);
    if (why) {
      rows.push([kind, why]);
      continue;
    }
    const { url, stop } = await start();
    try {
      const told = await fleet({ kind, place: url, processes: 8, sessions: 500, saves: quick ? 4_000 : 20_000, killEveryMs: 1_000, seed: 7 });
      const { acknowledged, shared, kills, conflicts, lost, twice, unacknowledged, sessions, refreshedAndCompared, seconds, perSecond, p50, p99 } = told;
      rows.push([kind, acknowledged, shared, kills, conflicts, lost, twice, unacknowledged, `${sessions} + ${refreshedAndCompared}`, seconds.toFixed(0), perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(0)]);
      console.log(`${kind}: done`);
    } catch (error) {
      rows.push([kind, `FAILED: ${error.message.split("\n")[0]}`]);
      process.exitCode = 1;
    } finally {
      await stop?.();
    }
  }
  console.log("\n### 8 processes, 500 sessions, a fifth of the saves on shared ones, one process killed every second\n");
  const head = ["", "acknowledged", "on shared ones", "killed", "conflicts", "lost", "twice", "saved, but killed before it was written down", "sessions the same in two processes + in those that refreshed", "s", "saves a s", "p50 ms", "p99 ms"];
  table(head, rows.map((cells) => [...cells, ...Array(head.length - cells.length).fill("–")]));
}
