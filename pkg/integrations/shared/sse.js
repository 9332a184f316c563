// What an answer cost, read from its stream of server-sent events as they pass.

/** A response that is the same, and tells `onUsage` once when its events have said what the answer cost. */
export function withUsage(response, onUsage) {
  const decoder = new TextDecoder();
  let line = "";
  let began; // what Anthropic says of the input, before the answer
  let newest; // some say with every event what the answer has cost so far
  let told = false;
  const tell = () => {
    if (told || !newest) return;
    told = true;
    onUsage(newest);
  };
  const read = (one) => {
    const event = eventOf(one);
    if (event?.type === "message_start") began = event.message?.usage;
    const usage = event?.usage ?? event?.usageMetadata ?? event?.response?.usage;
    if (usage) newest = { ...began, ...Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null)) };
    // Right away: who reads the stream may stop at its last word.
    if (usage && isLast(event)) tell();
  };
  const listening = new TransformStream({
    transform(bytes, controller) {
      const lines = (line + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r/);
      line = lines.pop();
      lines.forEach(read);
      controller.enqueue(bytes);
    },
    flush: tell,
  });
  const { status, statusText, headers, url } = response;
  return Object.defineProperty(new Response(response.body.pipeThrough(listening), { status, statusText, headers }), "url", { value: url });
}

/** Whether no event says more of the usage: in a Chat stream the one behind the answer, or the answer's last. */
function isLast({ choices, candidates, usageMetadata }) {
  if (usageMetadata) return candidates?.some(({ finishReason }) => finishReason) ?? false;
  return choices === undefined || choices.length === 0 || choices.some(({ finish_reason }) => finish_reason);
}

/** An event that speaks of usage; the others need not be parsed. */
function eventOf(line) {
  if (!line.startsWith("data:") || !/"usage(Metadata)?"\s*:\s*\{/.test(line)) return undefined;
  try {
    return JSON.parse(line.slice(5));
  } catch {
    return undefined;
  }
}
