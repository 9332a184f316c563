// How many bytes were written meanwhile.

import { readFileSync } from "node:fs";

/** What this process gave to the system to write (Linux counts it); `null` elsewhere. */
export function byThisProcess() {
  try {
    return Number(/wchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))[1]);
  } catch {
    return null;
  }
}

/** What a PostgreSQL wrote into its log, which is all that it writes at once. */
export async function byPostgres(ask) {
  const { rows } = await ask("SELECT (pg_current_wal_insert_lsn() - '0/0')::text AS bytes");
  return Number(rows[0].bytes);
}
