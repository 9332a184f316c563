// Counts the bytes that were written.

import { readFileSync } from "node:fs";

/** Bytes that this process passed to the system to write (Linux counts them); `null` on other systems. */
export function byThisProcess() {
  try {
    return Number(/wchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))[1]);
  } catch {
    return null;
  }
}

/** Bytes that a PostgreSQL server wrote to its log, the only thing that it writes at once. */
export async function byPostgres(ask) {
  const { rows } = await ask("SELECT (pg_current_wal_insert_lsn() - '0/0')::text AS bytes");
  return Number(rows[0].bytes);
}
