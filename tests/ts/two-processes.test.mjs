// Two operating system processes continue one session, each saving and each requesting summaries: nothing that was saved is lost,
// and nothing is duplicated.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Session, check } from "contextfold";
import { assistant, user } from "../support/session.mjs";
import { KEY, OPTIONS, sharedFolder } from "../support/writer.mjs";
import { temporaryFolder } from "../support/temp.mjs";

const run = promisify(execFile);
const WRITER = fileURLToPath(new URL("../support/writer.mjs", import.meta.url));

test("two processes that save and compact one session lose nothing and duplicate nothing", async (t) => {
  const folder = temporaryFolder(t);
  const store = sharedFolder(folder);
  const first = new Session(OPTIONS);
  first.push([user("hello"), assistant("hello")]);
  await first.save(store, KEY);
  const [names, count] = [["ada", "bob"], 40];
  const wrote = await Promise.all(names.map(async (name, at) => JSON.parse((await run(process.execPath, [WRITER, folder, name, String(count), names[1 - at]])).stdout)));
  t.diagnostic(JSON.stringify(wrote));
  assert.ok(wrote.reduce((sum, { conflicts }) => sum + conflicts, 0) > 0, "they met");
  assert.ok(wrote.reduce((sum, { asked }) => sum + asked, 0) > 0, "they compacted");

  const last = await Session.load(store, KEY, { summarize: () => "<summary>s</summary>" });
  const said = last.messages.map((message) => message.content.split(":")[0]);
  assert.equal(said.length, 2 + names.length * count * 2);
  for (const name of names) {
    const asked = said.filter((text) => text.startsWith(`${name} asks`));
    assert.deepEqual(asked, Array.from({ length: count }, (_, n) => `${name} asks ${n}`));
    for (const [at, text] of said.entries()) if (text.startsWith(`${name} asks`)) assert.equal(said[at + 1], text.replace("asks", "is told"));
  }
  assert.ok(last.folds().length > 0);
  await last.prepare();
  assert.ok(last.tokens <= last.limit);
  assert.deepEqual(check("openai-chat", last.view("openai-chat")).filter((v) => v.severity === "error"), []);
  const keys = (await store.getKeys(KEY)).sort();
  assert.equal(keys.filter((key) => key.includes(":v:")).length, 1, `${keys}`);
  assert.ok(!keys.some((key) => key.endsWith(":lease")), `${keys}`);
});
