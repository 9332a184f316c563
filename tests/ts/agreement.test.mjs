// Our `check` agrees with the validator shipped with the recorded data: on accepted requests, on copies broken on purpose, on the
// output of `repair`, and on the output of `convert` from accepted requests.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { check, convert, repair } from "contextfold";
import { missing, recordedRequests, validator } from "../support/data.mjs";

const validate = missing ? null : await validator();
const skip = missing || (validate ? false : "no validator beside the recorded data");
if (skip) console.log(`agreement: ${skip}; skipped`);

const FORMATS = { responses: "openai-responses", chat: "openai-chat", anthropic: "anthropic" };
/** Indices of a list at which it is broken, evenly spread. */
const PLACES = 12;

const known = ({ provider, stateful, store, thinking }) => Object.fromEntries(Object.entries({ provider, stateful, store, thinking }).filter(([, value]) => value !== undefined));
const ours = (format, list, opts) => check(format, list, known(opts)).filter((v) => v.severity === "error").map((v) => v.rule);
const theirs = (of, list, opts) => validate(list, { ...opts, format: of }).filter((v) => v.severity === "error").map((v) => v.rule);

const renamed = (value) => {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null) return value;
  const pairs = (key) => ["call_id", "tool_call_id", "tool_use_id"].includes(key) || (key === "id" && (value.function || value.type === "tool_use"));
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, typeof v === "string" && pairs(key) ? `${v}_x` : renamed(v)]));
};

/** Copies of a list, broken in each way at `at`. */
function broken(list, at) {
  const out = { drop: list.toSpliced(at, 1), duplicate: list.toSpliced(at, 0, list[at]), "cut before": list.slice(at), "cut after": list.slice(0, at + 1), rename: list.with(at, renamed(list[at])) };
  if (at + 1 < list.length) {
    out.swap = list.with(at, list[at + 1]).with(at + 1, list[at]);
    out["move to the end"] = [...list.toSpliced(at, 1), list[at]];
  }
  return Object.entries(out).filter(([, mutant]) => mutant.length > 0);
}

for (const [of, format] of Object.entries(FORMATS))
  describe(format, { skip }, () => {
    const records = skip ? [] : recordedRequests(of);

    test("both accept the accepted requests", () => {
      assert.ok(records.length > 100);
      for (const { id, items, opts } of records) assert.deepEqual([ours(format, items, opts), theirs(of, items, opts)], [[], []], id);
    });

    test("copies broken on purpose: both refuse or both accept, and both accept the repaired copy", () => {
      const said = { mutants: 0, refused: 0, disagreed: [], unmended: [] };
      for (const { id, items, opts } of records) {
        const step = Math.max(1, Math.ceil(items.length / PLACES));
        for (let at = 0; at < items.length; at += step)
          for (const [how, mutant] of broken(items, at)) {
            said.mutants++;
            const [we, they] = [ours(format, mutant, opts), theirs(of, mutant, opts)];
            if (we.length > 0 !== they.length > 0) said.disagreed.push(`${how} at ${at} of ${id}: ours ${we}; theirs ${they}`);
            if (we.length === 0) continue;
            said.refused++;
            const { output } = repair(format, mutant, known(opts));
            const left = [...ours(format, output, opts), ...theirs(of, output, opts)];
            if (output.length > 0 && left.length > 0) said.unmended.push(`${how} at ${at} of ${id}: ${left}`);
          }
      }
      console.log(`${format}: ${records.length} histories, ${said.mutants} mutants, ${said.refused} refused by both, ${said.disagreed.length} disagreements, ${said.unmended.length} not mended`);
      assert.deepEqual([said.disagreed.slice(0, 8), said.unmended.slice(0, 8)], [[], []]);
      assert.ok(said.refused > 100);
    });

    test("the validator accepts what `convert` makes of accepted requests", () => {
      let taken = 0;
      for (const [to, target] of Object.entries(FORMATS)) {
        if (to === of) continue;
        for (const { id, items, opts } of records.filter((r) => !r.opts.stateful)) {
          const converted = convert(format, target, items);
          const list = Array.isArray(converted) ? converted : (converted.input ?? converted.messages);
          assert.deepEqual(theirs(to, list, { provider: "other", pending: true, beta: true }), theirs(of, items, { ...opts, pending: true }), `${id} as ${target}`);
          taken++;
        }
      }
      assert.ok(taken > 200);
    });
  });
