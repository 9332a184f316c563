// What the stores refuse when they are made: wrong places, wrong options, and options that do not exist.

import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Session } from "contextfold";
import { fileStore } from "contextfold/stores/files";
import { wrapStore } from "contextfold/stores/encrypted";
import { indexedDBStore } from "contextfold/stores/indexeddb";
import { memoryStore } from "contextfold/stores/memory";
import { postgresStore } from "contextfold/stores/postgres";
import { redisStore } from "contextfold/stores/redis";
import { s3Store } from "contextfold/stores/s3";
import { segmented } from "contextfold/stores/segments";
import { sqliteStore } from "contextfold/stores/sqlite";
import { failsWith } from "../support/session.mjs";
import { record, snapshotAt } from "./contract.mjs";

const folder = mkdtempSync(join(tmpdir(), "contextfold-options-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const refused = (make, says) => assert.throws(make, failsWith("INVALID_ARGUMENT", says));

test("indexedDBStore says that there is no `indexedDB` outside of browsers", async () => {
  const { indexedDB } = globalThis;
  delete globalThis.indexedDB;
  try {
    const session = new Session();
    await assert.rejects(session.save(indexedDBStore("nowhere"), "k"), failsWith("STORE_FAILED", /there is no `indexedDB` here.*fileStore/));
  } finally {
    globalThis.indexedDB = indexedDB;
  }
});

describe("fileStore", () => {
  test("takes a path or a file URL", async () => {
    const byUrl = fileStore(pathToFileURL(`${folder}/a folder`));
    await byUrl.replace("k", null, snapshotAt(1), 1);
    await byUrl.append("k", 1, [record(2)]);
    assert.equal((await fileStore(join(folder, "a folder")).read("k")).position, 2);
  });

  test("nothing else, and no empty path, which would be the current folder", () => {
    for (const place of [undefined, null, 5, "", {}, new URL("https://host.invalid/x")]) refused(() => fileStore(place), /^folder: expected the path of a folder/);
  });
});

describe("options", () => {
  const client = { query() {}, send() {}, withTypeMapping() {} };
  const access = { client, commands: { PutObjectCommand: class {} }, bucket: "chats" };
  const makers = {
    fileStore: [(options) => fileStore(folder, options), "fsyncc", /`fsyncc`: unknown key; did you mean `fsync`\?/, { fsync: "no" }],
    sqliteStore: [(options) => sqliteStore({ prepare() {}, exec() {} }, options), "busyTimeout", /did you mean `busyTimeoutMs`\?/, { busyTimeoutMs: -1 }],
    postgresStore: [(options) => postgresStore(client, options), "schma", /did you mean `schema`\?/, { schema: 5 }],
    redisStore: [(options) => redisStore(client, options), "ttl", /known keys are `prefix`, `ttlMs`|did you mean `ttlMs`/, { ttlMs: null }],
    s3Store: [(options) => s3Store(options && { ...access, ...options }), "buckt", /did you mean `bucket`\?/, { prefix: 5 }],
    segmented: [(options) => segmented(memoryStore(), options), "cacheByte", /did you mean `cacheBytes`\?/, { cacheBytes: "1" }],
    wrapStore: [(options) => wrapStore(memoryStore(), options && { encrypt() {}, ...options }), "key", /known keys are `encrypt`/, { encrypt: 5 }],
  };
  for (const [name, [make, misspelt, says, wrong]] of Object.entries(makers))
    test(`of ${name}: an unknown one, one of a wrong type, and no object`, () => {
      refused(() => make({ [misspelt]: true }), says);
      refused(() => make(wrong), new RegExp(`\`${Object.keys(wrong)[0]}\`: expected`));
      refused(() => make(null), /^options: expected an object with `/);
      if (name !== "wrapStore" && name !== "s3Store") refused(() => make(5), /^options: expected an object/);
    });

  test("what a store needs", () => {
    refused(() => s3Store(), /s3Store needs/);
    refused(() => s3Store({ ...access, bucket: undefined }), /^`bucket`: expected/);
    refused(() => sqliteStore(""), /sqliteStore expects a path/);
    refused(() => redisStore(), /ioredis/);
    refused(() => postgresStore(), /`pg`/);
    refused(() => wrapStore(memoryStore()), /`encrypt`/);
    for (const name of ["", 5, null]) refused(() => indexedDBStore(name), /^name: expected/);
  });
});
