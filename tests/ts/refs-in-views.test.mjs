// What a view says of refs: they are named where something was left out, with their calls, if the model has the tools that open them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, toolDefinitions } from "contextfold";
import { runTool } from "contextfold/tools";
import { output, user } from "../support/session.mjs";

const withTools = (session) => session.setTools("openai-chat", toolDefinitions("openai-chat"));
const textOf = (session) => JSON.stringify(session.view("openai-chat"));

test("a user's message that had to be cut names a ref only if the model can open it", async () => {
  for (const opens of [true, false]) {
    const session = new Session({ contextWindow: 2_000 });
    if (opens) withTools(session);
    session.push(user("Hi there. ".repeat(3_000)));
    await session.prepare();
    assert.match(textOf(session), /characters left out/);
    assert.equal(textOf(session).includes("tool_output_cache"), opens);
  }
});

/** A session that has read 40 files, full of paths, so that the record has no room for all of them. */
async function reader(opens, compaction) {
  const session = new Session({ contextWindow: 9_000, compaction });
  if (opens) withTools(session);
  session.push(user("Read all of it."));
  for (let n = 0; n < 40; n++) {
    const call = { id: `c${n}`, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path: `src/part${n}.ts` }) } };
    session.push([{ role: "assistant", content: null, tool_calls: [call] }, output(`c${n}`, Array.from({ length: 90 }, (_, i) => `line ${i} of ${n}: see src/x${(n * 7919 + i * 104729) % 99991}.ts`).join("\n"))]);
    await session.prepare();
  }
  return session;
}

describe("outputs that are shown in part", () => {
  test("the mark names the ref that opens the whole", async () => {
    const session = await reader(true);
    const marks = [...textOf(session).matchAll(/tokens left out; ref=(out_\d+)[; ]/g)];
    assert.ok(marks.length > 3, textOf(session).slice(0, 2_000));
    for (const [, ref_id] of marks) assert.match(await runTool(session, "tool_output_cache_grep", { ref_id, pattern: "^line 45 of" }), /46:line 45 of \d+: see/);
  });

  test("the record says of which calls the outputs are, as far as callers do not hide that", async () => {
    const [, kept] = textOf(await reader(true)).match(/Outputs kept whole \(tool_output_cache opens them by name\): ([^\\]*)/);
    const named = [...kept.matchAll(/out_(\d+) \(read_file src\/part(\d+)\.ts\)/g)];
    assert.ok(named.length > 1, kept);
    for (const [, ref, part] of named) assert.equal(Number(ref), Number(part) + 1);
    const hidden = textOf(await reader(true, { redact: (text) => text.replaceAll(/src.part\d+/g, "[a file]") }));
    assert.match(hidden, /out_\d+ \(read_file \[a file\]\.ts\)/);
  });

  test("no ref is named to a model that cannot open it", async () => assert.doesNotMatch(textOf(await reader(false)), /ref=|out_\d/));
});
