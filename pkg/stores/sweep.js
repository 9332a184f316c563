// Removes tool outputs in a store that no session refers to any more.
//
// Others may go on saving in the meantime. If an output is stored again, it is new, and `removeOlder` keeps it. If a session is saved
// after it was read here, its further outputs were stored shortly before that save.
//
// There is no reference counting, because a count would have to be written atomically with the journal, which stores cannot do. Sessions
// are listed again until no new one is found, so a session may move to another key in the meantime. Ages are measured at the time
// when the sweep began to read.

import { storedOutputs } from "contextfold";
import { ContextError } from "../error.js";
import { lastWhole } from "./frames.js";
import { segmented } from "./segments.js";

const OUTPUTS = "contextfold:output:";
const HOUR_MS = 3_600_000;

/** How many outputs are removed in parallel. */
const AT_ONCE = 8;

/** Removes the tool outputs that no session refers to. */
export async function sweep(store, options) {
  const olderThanMs = ageOf(options);
  const journals = journalsOf(store);
  return removeUnused(journals, await journals.getKeys(OUTPUTS), olderThanMs, "nothing was removed");
}

/** Removes a session, and its tool outputs that no other session refers to. */
export async function remove(store, key, options) {
  if (typeof key !== "string" || key === "") throw new ContextError("INVALID_ARGUMENT", "key: expected the key of the session to remove, a text that is not empty");
  const olderThanMs = ageOf(options);
  const journals = journalsOf(store);
  const outputs = await outputsOf(journals, key, "nothing was removed");
  await journals.remove(key);
  return removeUnused(journals, outputs, olderThanMs, `\`${key}\` was removed, but its tool outputs were not`);
}

function ageOf(options = {}) {
  if (typeof options !== "object" || options === null) throw new ContextError("INVALID_ARGUMENT", "options: expected an object with `olderThanMs`");
  const { olderThanMs = HOUR_MS, ...others } = options;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new ContextError("INVALID_ARGUMENT", `unknown option \`${unknown}\`: the only option is \`olderThanMs\``);
  if (!Number.isFinite(olderThanMs) || olderThanMs < 0) throw new ContextError("INVALID_ARGUMENT", "`olderThanMs`: expected a number of milliseconds, 0 or more");
  return olderThanMs;
}

/** The journals of a store, which may have them itself or be an ordinary one, as for a session. */
const journalsOf = (store) => (typeof store?.append === "function" && typeof store.replace === "function" ? store : segmented(store));

async function removeUnused(journals, outputs, olderThanMs, otherwise) {
  if (outputs.length === 0) return { kept: 0, removed: 0 };
  const start = performance.now();
  const used = await usedOutputs(journals, otherwise);
  const unused = outputs.filter((name) => !used.has(name));
  let removed = 0;
  while (unused.length > 0) {
    // Their age when the first session was read counts, because outputs stored since may belong to a session by now.
    const age = olderThanMs + Math.ceil(performance.now() - start);
    const done = await Promise.all(unused.splice(-AT_ONCE).map((name) => journals.removeOlder(name, age)));
    removed += done.filter(Boolean).length;
  }
  return { kept: outputs.length - removed, removed };
}

/** The outputs that sessions refer to. Sessions are listed again until none is new, because one may be moved to another key. */
async function usedOutputs(journals, otherwise) {
  const used = new Set();
  const seen = new Set();
  for (;;) {
    const keys = (await journals.list()).filter((key) => !seen.has(key));
    if (keys.length === 0) return used;
    for (const key of keys) {
      seen.add(key);
      for (const name of await outputsOf(journals, key, otherwise)) used.add(name);
    }
  }
}

/** The outputs that one session refers to. */
async function outputsOf(journals, key, otherwise) {
  try {
    const journal = await journals.read(key);
    if (journal === null) return [];
    const { position, snapshot, snapshotPosition, records } = journal;
    // A process that has this session in memory may still refer to the outputs in the damaged record.
    if (lastWhole(records, 0, snapshotPosition).position !== position) throw new Error("Its last record is damaged");
    return storedOutputs(snapshot, records);
  } catch (cause) {
    const code = ContextError.isInstance(cause) && cause.code !== "SNAPSHOT_INVALID" ? cause.code : "STORE_FAILED";
    throw new ContextError(code, `${otherwise}: \`${key}\` cannot be read, so its tool outputs are not known. ${cause?.message ?? cause}`, { cause });
  }
}
