// Names processes for others on the same machine, so that they do not wait for one that was killed. It imports nothing, because
// `sqliteStore` also runs where there are no processes.

let own;

/** This process, as a text that says to others who holds something; `undefined` where there are no processes. `isHolderGone` reads it. */
export function thisHolder() {
  own ??= self();
  return own && [own.place, process.pid, own.start].join("-");
}

/** Whether the process that this text names is known to have ended. Of one on another machine, or in another container, nothing is known. */
export function isHolderGone(holder) {
  own ??= self();
  const [place, id, start] = holder.split("-");
  if (place !== own?.place) return false;
  const pid = Number(id);
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === "ESRCH";
  }
  const there = processAt(pid);
  // A process id may be reused, and an ended process keeps its id until its parent has read its exit status.
  return there !== null && (there.start !== start || /[ZX]/.test(there.state));
}

const builtin = (name) => globalThis.process?.getBuiltinModule?.(name);

/** Identifies this process for others: where it runs, and when it was started. */
function self() {
  const [fs, os, crypto] = ["node:fs", "node:os", "node:crypto"].map(builtin);
  if (!fs || !os || !crypto || !Number.isInteger(process.pid)) return undefined;
  const read = (look) => {
    try {
      return String(look());
    } catch {
      return "";
    }
  };
  const parts = [os.hostname(), read(() => fs.readFileSync("/proc/sys/kernel/random/boot_id")), read(() => fs.readlinkSync("/proc/self/ns/pid"))];
  const place = crypto.createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 12);
  return { place, start: processAt(process.pid)?.start ?? "0" };
}

/** The state and start time of a process, on Linux; `null` on other systems. */
function processAt(pid) {
  try {
    const text = builtin("node:fs").readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0], start: fields[19] };
  } catch {
    return null;
  }
}
