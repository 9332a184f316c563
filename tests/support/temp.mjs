// Temporary folders that are removed with the test.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder, removed when test `t` ends. */
export function temporaryFolder(t) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "contextfold-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
