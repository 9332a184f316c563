// What an answer cost, read from its stream of server-sent events as they pass.

/** A response that is the same, and tells `onUsage` at its end what its events say of usage. */
export function withUsage(response, onUsage) {
  const decoder = new TextDecoder();
  let line = "";
  let usage;
  const read = (text) => {
    const lines = (line + text).split(/\r\n|\n|\r/);
    line = lines.pop();
    for (const one of lines) usage = seen(one, usage);
  };
  const listening = new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes);
      read(decoder.decode(bytes, { stream: true }));
    },
    flush() {
      read("\n");
      if (usage) onUsage(usage);
    },
  });
  const { status, statusText, headers, url } = response;
  return Object.defineProperty(new Response(response.body.pipeThrough(listening), { status, statusText, headers }), "url", { value: url });
}

/** The usage that an event adds to: Anthropic says the input's when it begins, the output's when it ends. */
function seen(line, usage) {
  if (!line.startsWith("data:") || !/"usage"\s*:\s*\{/.test(line)) return usage;
  try {
    const event = JSON.parse(line.slice(5));
    const said = event.usage ?? event.message?.usage ?? event.response?.usage;
    return said ? { ...usage, ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null)) } : usage;
  } catch {
    return usage;
  }
}
