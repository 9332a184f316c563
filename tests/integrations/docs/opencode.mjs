import { outputOf } from "../support/work.mjs";

const model = { providerID: "local", modelID: "m" };
const part = (n, more) => ({ id: `prt_${n}`, sessionID: "ses_1", messageID: `msg_${n}`, ...more });
export const input = { client: {} };
export const messages = [
  { info: { id: "msg_u", sessionID: "ses_1", role: "user", time: { created: 1 }, agent: "build", model }, parts: [part("u", { type: "text", text: "Why does the build fail?" })] },
  ...Array.from({ length: 20 }, (_, n) => ({
    info: { id: `msg_${n}`, sessionID: "ses_1", role: "assistant", ...model },
    parts: [part(n, { type: "tool", tool: "build", callID: `call_${n}`, state: { status: "completed", input: { n }, output: outputOf(n), title: "", metadata: {}, time: { start: 1, end: 2 } } })],
  })),
];
