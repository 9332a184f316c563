// A stream of an AI SDK's model, looked at before it is handed on.

/** What says nothing yet. */
const BEFORE = new Set(["stream-start", "response-metadata", "raw"]);

/** The same stream, read as far as its first word; and the error that this was. */
export async function begun(stream) {
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
