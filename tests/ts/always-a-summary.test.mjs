// Without a callback the built-in summariser writes the summaries. In a window of any size it finds something to say, or the ladder
// goes on to its last resort.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ContextError, Session, presets } from "contextfold";

const WORDS = "so then we look at the file again and see that it is still the same as it was before we began to work on it".split(" ");

/** Dialogues that alternate short and long messages, like real ones. */
function dialogue(seed) {
  let state = seed;
  const next = (n) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % n;
  const says = (n) => Array.from({ length: n }, () => WORDS[next(WORDS.length)]).join(" ");
  const messages = [];
  for (let turn = 0; turn < 6 + next(12); turn++) {
    messages.push({ role: "user", content: next(4) ? says(1 + next(30)) : ["ok", "yes", "👍", "?"][next(4)] });
    messages.push({ role: "assistant", content: next(5) ? says(1 + next(200)) : "Done." });
  }
  messages.push({ role: "user", content: says(1 + next(20)) });
  return messages;
}

/** Errors a ladder may raise if the newest turn alone does not fit. */
const NO_ROOM = ["CONTEXT_WINDOW_EXCEEDED", "BUDGET_IMPOSSIBLE"];

describe("prepare without a callback never fails for lack of a summary", () => {
  for (const ladder of Object.keys(presets))
    test(ladder, async () => {
      let cuts = 0;
      for (let seed = 1; seed <= 25; seed++) {
        const messages = dialogue(seed);
        const whole = new Session({ contextWindow: 1_000_000 });
        whole.push(messages);
        for (const share of [0.05, 0.1, 0.2, 0.3, 0.5, 0.75]) {
          const session = new Session({ ladder, contextWindow: Math.max(1, Math.floor(whole.tokens * share)) });
          session.push(messages);
          try {
            const { report } = await session.prepare();
            cuts += report.tokens_after < report.tokens_before ? 1 : 0;
          } catch (error) {
            assert.ok(error instanceof ContextError && NO_ROOM.includes(error.code), `${seed} at ${share}: ${error.code}: ${error.message}`);
          }
        }
      }
      assert.ok(cuts > 40, `${cuts} views were cut`);
    });
});
