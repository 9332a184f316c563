// What a view says of refs: they are named where something was left out, with their calls, if the model has the tools that open them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, toolDefinitions } from "contextfold";
import { runTool } from "contextfold/tools";
import { assistant, calls, output, user } from "../support/session.mjs";

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

/** A session that has read 40 files, one of them often. */
async function reader(opens, compaction) {
  const session = new Session({ contextWindow: 9_000, compaction });
  if (opens) withTools(session);
  session.push(user("Read all of it."));
  for (let n = 0; n < 40; n++) {
    const call = { id: `c${n}`, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path: `src/part${n}.ts` }) } };
    session.push([{ role: "assistant", content: null, tool_calls: [call] }, output(`c${n}`, Array.from({ length: 90 }, (_, i) => `line ${i} of ${n}: value ${(n * 7919 + i * 104729) % 99991}`).join("\n"))]);
    await session.prepare();
  }
  return session;
}

describe("outputs that are shown in part", () => {
  test("the mark names the ref that opens the whole", async () => {
    const session = await reader(true);
    const marks = [...textOf(session).matchAll(/tokens left out; ref=(out_\d+)[; ]/g)];
    assert.ok(marks.length > 3, textOf(session).slice(0, 2_000));
    for (const [, ref_id] of marks) assert.match(await runTool(session, "tool_output_cache_grep", { ref_id, pattern: "^line 45 of" }), /46:line 45 of \d+: value/);
  });

  test("no ref is named to a model that cannot open it", async () => assert.doesNotMatch(textOf(await reader(false)), /ref=|out_\d/));
});
