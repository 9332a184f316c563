// Reads an answer's usage from its stream of server-sent events as they pass.

import { usageIn } from "./summed.js";

/** Returns an equal response that calls `onUsage` once, when its events have reported the usage of the whole answer. */
export function withUsage(response, onUsage) {
  const decoder = new TextDecoder();
  let begun = []; // the pieces of a line that has not ended, such as an image of megabytes: they are joined only once
  let atStart; // Anthropic reports the input's usage before the answer
  let newest; // some providers report the usage so far with every event
  let isReported = false;
  const report = () => {
    if (isReported || !newest) return;
    isReported = true;
    onUsage(newest);
  };
  const read = (one) => {
    const event = eventOf(one);
    if (event?.type === "message_start") atStart = event.message?.usage;
    const usage = event && (usageIn(event) ?? usageIn(event.response ?? {}));
    if (usage) newest = { ...atStart, ...Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null)) };
    // At once, because the reader may stop reading after the last event.
    if (usage && isLast(event)) report();
  };
  const listening = new TransformStream({
    transform(bytes, controller) {
      const [first, ...others] = decoder.decode(bytes, { stream: true }).split(/\r\n|\n|\r/);
      begun.push(first);
      for (const next of others) {
        read(begun.join(""));
        begun = [next];
      }
      controller.enqueue(bytes);
    },
    flush: report,
  });
  const { status, statusText, headers, url } = response;
  return Object.defineProperty(new Response(response.body.pipeThrough(listening), { status, statusText, headers }), "url", { value: url });
}

/** Whether this event has the final usage. In a Chat stream it is the event after the answer, or the answer's last. */
function isLast({ choices, candidates, usageMetadata }) {
  if (usageMetadata) return candidates?.some(({ finishReason }) => finishReason) ?? false;
  return choices === undefined || choices.length === 0 || choices.some(({ finish_reason }) => finish_reason);
}

/** The parsed event if it mentions usage. Other events are not parsed. */
function eventOf(line) {
  if (!line.startsWith("data:") || !/"usage(Metadata)?"\s*:\s*\{/.test(line)) return undefined;
  try {
    return JSON.parse(line.slice(5));
  } catch {
    return undefined;
  }
}
