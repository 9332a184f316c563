// `session.leftOut()`: every message of a recorded session is whole in the view, or listed once with a working way to read it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Recording, presets } from "contextfold";
import { readTranscript } from "contextfold/transcript";

const file = new URL("../../examples/transcript.responses.json", import.meta.url);
let recording;
before(() => {
  const { format, items } = readTranscript(readFileSync(file, "utf8"));
  recording = new Recording(format, items);
});
after(() => recording.free());

for (const ladder of Object.keys(presets))
  describe(ladder, () => {
    test("lists everything that is not in the view, at any call", () => {
      const replay = recording.replay({ contextWindow: 32_000, ladder });
      let told = 0;
      for (const call of [10, 50, recording.calls]) {
        const session = replay.sessionAt(call);
        const leftOut = session.leftOut();
        const byId = new Map(leftOut.map((line) => [line.id, line]));
        assert.equal(byId.size, leftOut.length, "each once");
        const forms = new Map(session.items().map(({ id, form }) => [id, form]));
        for (const { id } of session.messages) {
          const form = forms.get(id);
          const line = byId.get(id);
          if (!line) {
            assert.ok(form === "whole" || form === "merged", `${id} stands as ${form}`);
            continue;
          }
          if (form) assert.equal(line.state, form);
          assert.ok(line.pass && line.why && line.back, JSON.stringify(line));
        }
        // What the last run changed is attributed to the same pass.
        for (const { id, pass } of session.report.left_out) if (byId.has(id)) assert.equal(byId.get(id).pass, pass);
        told += leftOut.length;
        session.free();
      }
      assert.ok(told > 0);
      replay.free();
    });

    test("the stated way to read each one works", () => {
      const replay = recording.replay({ contextWindow: 32_000, ladder });
      const session = replay.sessionAt(recording.calls);
      const states = new Map(session.leftOut().map((line) => [line.state, line]));
      for (const { id, back, fold } of states.values()) {
        if (back === "unfold") session.unfold(fold);
        else session.pin(id);
        const still = session.leftOut().find((line) => line.id === id);
        assert.ok(!still || still.fold !== fold || still.state !== "folded", JSON.stringify(still));
      }
      session.free();
      replay.free();
    });
  });
