// An answer of Bedrock's Converse as its API streams it: frames of `application/vnd.amazon.eventstream`.

import { crc32 } from "node:zlib";

const halves = (text) => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];

/** The events of an answer: `[type, event]`. */
export function eventsOf({ output, stopReason, usage, metrics }) {
  const events = [["messageStart", { role: "assistant" }]];
  output.message.content.forEach(({ text, toolUse }, contentBlockIndex) => {
    if (toolUse) events.push(["contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId: toolUse.toolUseId, name: toolUse.name } } }]);
    for (const piece of halves(text ?? JSON.stringify(toolUse.input))) events.push(["contentBlockDelta", { contentBlockIndex, delta: text === undefined ? { toolUse: { input: piece } } : { text: piece } }]);
    events.push(["contentBlockStop", { contentBlockIndex }]);
  });
  return [...events, ["messageStop", { stopReason }], ["metadata", { usage, metrics }]];
}

/** An event, or an exception, as a frame. */
export function frame(type, event, isException = false) {
  const headers = Buffer.concat([
    header(":message-type", isException ? "exception" : "event"),
    header(isException ? ":exception-type" : ":event-type", type),
    header(":content-type", "application/json"),
  ]);
  const payload = Buffer.from(JSON.stringify(event));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const before = Buffer.concat([prelude, sum(prelude), headers, payload]);
  return Buffer.concat([before, sum(before)]);
}

function header(name, value) {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
}

function sum(bytes) {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(crc32(bytes));
  return out;
}
