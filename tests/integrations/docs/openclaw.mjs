import { TASK, outputOf } from "../support/work.mjs";

export const messages = [
  { role: "user", content: TASK, timestamp: 1 },
  { role: "assistant", content: [{ type: "toolCall", id: "c1", name: "build", arguments: {} }], stopReason: "toolUse", timestamp: 2 },
  { role: "toolResult", toolCallId: "c1", toolName: "build", content: [{ type: "text", text: outputOf(1) }], isError: false, timestamp: 3 },
];
