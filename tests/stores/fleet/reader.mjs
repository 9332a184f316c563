// A process that loads each session of a fleet and writes down what it saw.

import { writeFileSync } from "node:fs";
import { Session } from "contextfold";
import { digestOf, readMessage } from "./messages.mjs";
import { storeOf } from "./store.mjs";

const { kind, place, out } = JSON.parse(process.argv[2]);
const { store, end } = await storeOf(kind, place);
const seen = {};
for (const key of await store.list("fleet/")) {
  const session = await Session.load(store, key);
  const said = session.messages.map(readMessage);
  const digest = digestOf(session);
  const { notices = [] } = (await session.prepare()).report;
  seen[key] = { ...digest, said, notices };
  session.free();
}
await end();
writeFileSync(out, JSON.stringify(seen));
process.disconnect();
