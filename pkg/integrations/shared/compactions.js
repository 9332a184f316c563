// Compactions made by the service itself. They are opaque to us, and the only record of what the service has left out, so they are
// pinned.

const isCompaction = (value) => value?.type === "compaction";

const holdsOne = (entry) => isCompaction(entry) || (Array.isArray(entry?.content) && entry.content.some(isCompaction));

/** Pins the messages that hold a service's own compaction, if the list has one that is not in `seen`. */
export function pinCompactions(session, list, seen) {
  const fresh = list.filter((entry) => holdsOne(entry) && !seen.has(entry));
  if (fresh.length === 0) return;
  for (const { id, content } of session.messages)
    if (Array.isArray(content) && content.some((part) => part.type === "opaque" && isCompaction(part.raw))) session.pin(id);
  for (const entry of fresh) seen.add(entry);
}
