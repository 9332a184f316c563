// A process that writes into a journal until it is killed, and prints what was acknowledged.
//
//   node writer.mjs files FOLDER KEY [replaces] [times]

import { frame } from "../../pkg/stores/frames.js";

const [kind, path, key, replaces, times = Infinity] = process.argv.slice(2);
const store = kind === "files" ? (await import("../../pkg/stores/files.js")).fileStore(path) : (await import("../../pkg/stores/sqlite.js")).sqliteStore(path);

setTimeout(() => process.exit(2), 30_000).unref(); // in case nobody kills it

let known = 0;
for (let done = 0; done < times; ) {
  const { position } = await store.read(key, known);
  known = position;
  const count = 1 + Math.floor(Math.random() * 3);
  // Each body starts with the process and ends with padding, so that a write takes some time.
  const records = Array.from({ length: count }, (_, i) => frame(position + 1 + i, Buffer.from(`${process.pid} `.padEnd(20 + Math.random() * 10_000, "."))));
  try {
    if (replaces === "replaces" && Math.random() < 0.3) await store.replace(key, position, new Uint8Array(500_000 * Math.random()).fill(7), position + count);
    else await store.append(key, position, records);
  } catch (error) {
    if (error.code !== "STORE_CONFLICT") throw error;
    continue;
  }
  known = position + count;
  done += 1;
  for (let i = 1; i <= count; i++) console.log(position + i);
}
