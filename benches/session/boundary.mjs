// What crosses the boundary between JavaScript and the module in a call, in a process of its own: the bytes that the glue allocates in
// the module for texts that go in, those that it encodes into the module's own buffer, and the bytes of texts that are decoded when
// they come out.

import { agent } from "./histories.mjs";

let [into, out] = [0, 0];
/** The last buffer that the glue got. Bytes that it encodes there are counted. */
let room = { at: 0, end: 0 };
const allocated = (at, end) => ((room = { at, end }), at);
const { Instance } = WebAssembly;
WebAssembly.Instance = function (module, imports) {
  const { exports } = new Instance(module, imports);
  const counted = { ...exports };
  for (const [name, fn] of Object.entries(exports)) {
    if (name === "__wbindgen_malloc") counted[name] = (size, align) => ((into += size), ((at) => allocated(at, at + size))(fn(size, align)));
    if (name === "__wbindgen_realloc") counted[name] = (at, before, size, align) => ((into += size - before), ((at) => allocated(at, at + size))(fn(at, before, size, align)));
  }
  return { exports: counted };
};
const { encodeInto } = TextEncoder.prototype;
TextEncoder.prototype.encodeInto = function (text, bytes) {
  const result = encodeInto.call(this, text, bytes);
  if (bytes.byteOffset < room.at || bytes.byteOffset >= room.end) into += result.written;
  return result;
};
const { decode } = TextDecoder.prototype;
TextDecoder.prototype.decode = function (bytes, ...rest) {
  out += bytes?.byteLength ?? 0;
  return decode.call(this, bytes, ...rest);
};

const { Session } = await import("contextfold");
const { ROOMY } = await import("./ours.mjs");

async function crossing(run) {
  [into, out] = [0, 0];
  await run();
  return `${into.toLocaleString("en")} / ${out.toLocaleString("en")}`;
}

console.log("### Bytes of text that cross the boundary, into the module / out of it, by the messages that are there\n");
console.log("| | 100 | 1,000 | 10,000 |\n| --- | --: | --: | --: |");
const rows = {};
for (const size of [100, 1_000, 10_000]) {
  const session = new Session(ROOMY);
  session.push(agent(size));
  session.view("messages");
  const [request, , , answer] = agent(4, 7);
  const add = async (name, run) => (rows[name] ??= []).push(await crossing(run));
  await add(`push of two messages (${JSON.stringify([request, answer]).length} bytes of JSON)`, () => session.push([request, answer]));
  await add("prepare", () => session.prepare());
  await add("prepare again", () => session.prepare());
  await add('view("messages")', () => session.view("messages"));
  await add('view("openai-chat"), first', () => session.view("openai-chat"));
  await add('view("openai-chat"), again', () => session.view("openai-chat"));
}
for (const [name, cells] of Object.entries(rows)) console.log(`| ${name} | ${cells.join(" | ")} |`);
console.log();
