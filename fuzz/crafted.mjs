// Snapshots that were altered and given a correct checksum, which anybody can compute. They must be refused, or give a session that
// works whatever is done with it.

import { ContextError, Session } from "contextfold";
import { FORMATS } from "../tests/support/session.mjs";

/** FNV-1a, in 16 hexadecimal digits. */
function checksum(bytes) {
  let sum = 0xcbf29ce484222325n;
  for (const byte of bytes) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
  return sum.toString(16).padStart(16, "0");
}

/** Writes the checksum of everything after a header line into that line. */
function settle(bytes, line) {
  const end = bytes.indexOf("\n", line);
  if (end < 0) return; // the alteration removed the end of the line
  bytes.write(checksum(bytes.subarray(end + 1)), end - 16, "latin1");
}

/** A copy of the bytes, some of them altered. */
function altered(snapshot, die) {
  const bytes = Buffer.from(snapshot);
  const body = bytes.indexOf("\n") + 1;
  const side = bytes.lastIndexOf("js 3 ");
  const from = side > 0 && die.chance(0.4) ? bytes.indexOf("\n", side) + 1 : body;
  for (let n = 0; n <= die.below(3); n++) {
    const at = from + die.below(bytes.length - from);
    bytes[at] = die.pick([bytes[at] + 1, bytes[at] - 1, die.below(16), die.below(256), 255]);
  }
  if (side > 0 && bytes.subarray(side, side + 5).toString() === "js 3 ") settle(bytes, side);
  settle(bytes, 0);
  return bytes;
}

/** Restores altered bytes and does what a caller may do with the session. Returns whether they were accepted. */
export async function useAltered(snapshot, die, format, list) {
  const tries = async (what) => {
    try {
      return await what();
    } catch (error) {
      if (!ContextError.isInstance(error) || error.code === "INTERNAL") throw error;
    }
  };
  const session = await tries(() => Session.restore(altered(snapshot, die)));
  if (!session) return false;
  for (const other of FORMATS) await tries(() => session.view(other));
  const ids = (await tries(() => session.items().map((item) => item.id))) ?? [];
  const deeds = [
    () => session.messages,
    () => session.folds().map((fold) => session.unfold(fold.id)),
    () => session.graph.nodes(),
    () => session.sync(format, structuredClone(list)),
    () => session.pin(die.pick(ids)),
    () => session.prepare(),
    () => session.graph.edges(),
    () => session.search("word"),
    () => session.toolOutputs.refs().map((ref) => session.toolOutputs.get(ref.id)),
    () => session.fork(die.pick(ids)).prepare(),
    () => session.rewind(die.pick(ids)),
    () => session.compact(),
    () => session.graph.nodes(),
    () => Session.restore(session.snapshot()),
  ];
  for (const deed of deeds) await tries(deed);
  session.free();
  return true;
}
