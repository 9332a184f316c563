// An answer as its API streams it: server-sent events.

const halves = (text) => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];

const EVENTS = {
  "openai-responses"(response) {
    const events = [{ type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } }];
    response.output.forEach((item, output_index) => {
      events.push({ type: "response.output_item.added", output_index, item: { ...item, ...(item.arguments && { arguments: "" }) } });
      if (item.arguments) for (const delta of halves(item.arguments)) events.push({ type: "response.function_call_arguments.delta", output_index, item_id: item.id, delta });
      if (item.type === "message") for (const delta of halves(item.content[0].text)) events.push({ type: "response.output_text.delta", output_index, item_id: item.id, content_index: 0, delta });
      events.push({ type: "response.output_item.done", output_index, item });
    });
    const type = response.status === "failed" ? "response.failed" : "response.completed";
    return [...events, { type, response }].map((event, sequence_number) => ({ ...event, sequence_number }));
  },
  "openai-chat"({ choices: [{ message, finish_reason }], usage, ...rest }, { stream_options }) {
    const chunk = (delta, ends = {}) => ({ ...rest, object: "chat.completion.chunk", usage: null, choices: [{ index: 0, delta, finish_reason: null, ...ends }] });
    const deltas = [{ role: "assistant", content: message.content === null ? null : "", refusal: null }];
    for (const content of message.content === null ? [] : halves(message.content)) deltas.push({ content });
    (message.tool_calls ?? []).forEach(({ function: { name, arguments: text }, ...call }, index) => {
      deltas.push({ tool_calls: [{ index, ...call, function: { name, arguments: "" } }] });
      for (const piece of halves(text)) deltas.push({ tool_calls: [{ index, function: { arguments: piece } }] });
    });
    const chunks = [...deltas.map((delta) => chunk(delta)), chunk({}, { finish_reason })];
    return stream_options?.include_usage ? [...chunks, { ...chunk({}), choices: [], usage }] : chunks;
  },
  anthropic({ content, stop_reason, usage, ...rest }) {
    const events = [{ type: "message_start", message: { ...rest, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } }];
    content.forEach((block, index) => {
      const isText = block.type === "text";
      events.push({ type: "content_block_start", index, content_block: isText ? { type: "text", text: "" } : { ...block, input: {} } });
      for (const piece of halves(isText ? block.text : JSON.stringify(block.input))) events.push({ type: "content_block_delta", index, delta: isText ? { type: "text_delta", text: piece } : { type: "input_json_delta", partial_json: piece } });
      events.push({ type: "content_block_stop", index });
    });
    return [...events, { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.output_tokens } }, { type: "message_stop" }];
  },
  gemini({ candidates: [{ content, finishReason, ...candidate }], usageMetadata, ...rest }) {
    const pieces = content.parts.flatMap((part) => (part.text === undefined ? [part] : halves(part.text).map((text) => ({ text }))));
    return pieces.map((part, i) => ({
      ...rest,
      candidates: [{ ...candidate, content: { role: content.role, parts: [part] }, ...(i === pieces.length - 1 && { finishReason }) }],
      usageMetadata: i === pieces.length - 1 ? usageMetadata : { promptTokenCount: usageMetadata.promptTokenCount, totalTokenCount: usageMetadata.promptTokenCount },
    }));
  },
};

/** The events of an answer to `body`, as text. */
export function eventsOf(format, answer, body) {
  const events = EVENTS[format](answer, body).map((event) => `${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
  return format === "openai-chat" ? [...events, "data: [DONE]\n\n"] : events;
}
