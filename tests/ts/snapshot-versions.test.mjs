// Snapshots of earlier versions can be read, including what the JavaScript side keeps of a session.
//
// `CONTEXTFOLD_WRITE_FIXTURES=1` writes those of the current version: once for each version, and never changed after a release.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { Session } from "contextfold";
import { memoryStore } from "contextfold/stores/memory";
import { assistant, calls, conversation, output, stateOf, user } from "../support/session.mjs";

const VERSION = 1;

const text = (i) => `line of ${i}\n`.repeat(200);
const list = [user("go"), ...Array.from({ length: 4 }, (_, i) => [calls(`c${i}`), output(`c${i}`, text(i))]).flat()];
/** Options that are passed again with a snapshot. */
const OPTIONS = { "handed-back": { summarize: () => "<summary>the gist</summary>" } };
const answered = { type: "text", text: "and?", cache_control: { type: "ephemeral" } };

/** An SDK's list whose outputs have left memory; messages from other formats; a character split between two chunks. */
async function listed() {
  const session = new Session({ contextWindow: 100_000, store: memoryStore(), toolOutputCache: { memoryBytes: 3_000, maxMessageBytes: 500 } });
  session.sync("openai-chat", list);
  await session.flush();
  session.pushFrom("openai-responses", [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }, { role: "assistant", content: [{ type: "output_text", text: "done" }] }]);
  session.pushFrom("anthropic", [{ role: "user", content: [answered] }]);
  session.toolOutputs.put("begins ", { id: "stream" });
  session.toolOutputs.append("stream", new Uint8Array([0xe6, 0x97]));
  return session;
}

/** A view with a fold in it that was handed back. */
async function handedBack() {
  const session = new Session({ contextWindow: 100_000, ...OPTIONS["handed-back"] });
  session.sync("openai-chat", conversation(6, 60));
  await session.compact();
  session.sync("openai-chat", [...session.view("openai-chat"), user("on"), assistant("well")]);
  return session;
}

const MAKERS = { listed, "handed-back": handedBack };
const fixture = (name, version) => new URL(`../fixtures/js-${name}-v${version}.snapshot`, import.meta.url);
const read = (name, version) => Session.restore(readFileSync(fixture(name, version)), OPTIONS[name]);

if (process.env.CONTEXTFOLD_WRITE_FIXTURES) for (const [name, make] of Object.entries(MAKERS)) writeFileSync(fixture(name, VERSION), (await make()).snapshot());

for (let version = 1; version <= VERSION; version++)
  describe(`version ${version}`, () => {
    for (const [name, make] of Object.entries(MAKERS))
      test(`${name}: restores the same session as the current version makes`, async () => {
        assert.ok(existsSync(fixture(name, version)));
        const [again, now] = [read(name, version), await make()];
        assert.deepEqual(again.messages, now.messages);
        if (version < VERSION) return; // a fold's text was written by that version
        assert.deepEqual(stateOf(again), stateOf(now));
        assert.deepEqual(again.snapshot(), now.snapshot(), "and says the same in today's words");
      });

    test("listed: the list is recognised again, though outputs have left memory", async () => {
      assert.deepEqual(read("listed", version).sync("openai-chat", structuredClone(list)), { added: 0, diverged_at: list.length });
      const otherwise = list.with(2, output("c0", "otherwise"));
      assert.equal(read("listed", version).sync("openai-chat", otherwise).diverged_at, 2);
    });

    test("listed: imported messages are returned as they came, and the split character is put together", async () => {
      const again = read("listed", version);
      assert.deepEqual(again.view("anthropic").messages.at(-1).content, [answered]);
      again.toolOutputs.append("stream", new Uint8Array([0xa5]));
      assert.equal(await again.toolOutputs.get("stream"), "begins 日");
    });

    test("handed back: the list goes on, and rewriting a summary removes the messages it covers", () => {
      const view = read("handed-back", version).view("openai-chat");
      assert.deepEqual(read("handed-back", version).sync("openai-chat", [...view, user("more")]), { added: 1, diverged_at: null });
      const again = read("handed-back", version);
      again.sync("openai-chat", [user("from the beginning")]);
      assert.deepEqual(again.view("openai-chat").map((m) => m.content), ["from the beginning"]);
    });
  });
