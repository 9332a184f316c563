// The examples in the declarations, run against the servers, in the package as npm packs it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { placePackage } from "../integrations/place.mjs";
import { missing, startPostgres, startRedis, startS3 } from "./servers.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const clients = fileURLToPath(new URL("clients/", import.meta.url)); // whose packages the examples use
const folder = `${clients}.examples-${process.pid}`;

/** The server for each store's example, and the variables that give its address. */
const SERVERS = {
  redis: { start: startRedis, told: ({ url }) => ({ REDIS_URL: url }) },
  postgres: { start: startPostgres, told: ({ url }) => ({ DATABASE_URL: url }) },
  s3: { start: () => startS3("my-bucket"), told: ({ url }) => ({ AWS_ENDPOINT_URL_S3: url, AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "none", AWS_SECRET_ACCESS_KEY: "none" }) },
};
const AROUND = (example) => `
import { Session } from "contextfold";
const session = new Session({ contextWindow: 100_000 });
session.push({ role: "user", content: "hello" });
${example}
const loaded = await Session.load(store, "chat-17");
console.log(loaded.messages[0].content);
process.exit();
`;

before(() => {
  if (missing.clients) return;
  placePackage(clients);
  mkdirSync(folder, { recursive: true });
});
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [name, { start, told }] of Object.entries(SERVERS))
  test(`the example of contextfold/stores/${name}`, { skip: missing.clients || missing[name] }, async (t) => {
    const server = await start();
    t.after(() => server.stop());
    const [, comment] = /```js\n([\s\S]*?)```/.exec(readFileSync(`${root}pkg/stores/${name}.d.ts`, "utf8"));
    writeFileSync(`${folder}/${name}.mjs`, AROUND(comment.replaceAll(/^ \* ?/gm, "")));
    const { stdout } = await promisify(execFile)(process.execPath, [`${folder}/${name}.mjs`], { env: { ...process.env, ...told(server) }, timeout: 30_000 });
    assert.equal(stdout, "hello\n");
    assert.equal(typeof createRequire(`${folder}/x.cjs`)(`contextfold/stores/${name}`)[`${name}Store`], "function");
  });
