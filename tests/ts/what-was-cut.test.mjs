// What an even cut has cut stays as it is at a later one, where the prompt cache has it and newer steps are not cut shorter for it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Session, convert } from "contextfold";

const recorded = convert("openai-responses", "messages", JSON.parse(readFileSync(new URL("../../examples/transcript.responses.json", import.meta.url), "utf8")));
const isCut = (message) => /tokens left out/.test(JSON.stringify(message));

/** The even cuts of the recorded session that left what was cut before as it was: the views before and after, and the report. */
async function heldCuts(options) {
  const session = new Session({ contextWindow: 32_000, safetyMargin: 0, summarize: () => "<summary>They mend the build.</summary>" });
  const found = [];
  let before = [];
  for (const message of recorded) {
    if (message.role === "assistant") {
      const { report, messages } = await session.prepare(options);
      if (report.decisions.some(({ pass, why }) => pass === "even_cut" && why.startsWith("what was cut before stays"))) found.push({ report, before, messages });
      before = messages;
    }
    session.push(message);
  }
  return found;
}

test("the view's beginning stays as it was sent, up to the last message that was cut", async () => {
  const cuts = await heldCuts();
  assert.ok(cuts.length > 0);
  for (const { report, before, messages } of cuts) {
    const end = before.findLastIndex(isCut) + 1;
    assert.ok(end > 0);
    assert.deepEqual(messages.slice(0, end), before.slice(0, end));
    assert.ok(messages.slice(end).some(isCut), "newer ones are cut");
    assert.ok(report.tokens_after < report.threshold);
  }
});

test("where the prompt cache has nothing of the view any more, all of it is cut to one level", async () => {
  assert.equal((await heldCuts({ idleMs: 3_600_000 })).length, 0);
});
