// Compactions that a service made itself: opaque to us, and the only place where it keeps what it has left out. They stay.

const isCompaction = (value) => value?.type === "compaction";

const holdsOne = (entry) => isCompaction(entry) || (Array.isArray(entry?.content) && entry.content.some(isCompaction));

/** Pins the messages that hold a service's own compaction, where the list has one that `seen` does not know. */
export function pinCompactions(session, list, seen) {
  const fresh = list.filter((entry) => holdsOne(entry) && !seen.has(entry));
  if (fresh.length === 0) return;
  for (const { id, content } of session.messages)
    if (Array.isArray(content) && content.some((part) => part.type === "opaque" && isCompaction(part.raw))) session.pin(id);
  for (const entry of fresh) seen.add(entry);
}
