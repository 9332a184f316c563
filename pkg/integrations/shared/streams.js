// Inspects the beginning of a stream of an AI SDK model before it is passed on.

/** Chunks that come before any content. */
const BEFORE = new Set(["stream-start", "response-metadata", "raw"]);

/** Reads a stream up to its first content. Returns the same stream, and the error if that content is one. */
export async function peekFirst(stream) {
  const reader = stream.getReader();
  const head = [];
  let next;
  do {
    next = await reader.read();
    if (!next.done) head.push(next.value);
  } while (!next.done && BEFORE.has(next.value.type));
  const whole = new ReadableStream({
    start(controller) {
      for (const chunk of head) controller.enqueue(chunk);
      if (next.done) controller.close();
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { stream: whole, error: next.value?.type === "error" ? next.value.error : undefined };
}
