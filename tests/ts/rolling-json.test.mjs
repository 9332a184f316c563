// The rolling document, section 1.3: tool messages compressed as JSON.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compressJson, countTokens } from "contextfold";
import { failsWith } from "../support/session.mjs";

const letters = [..."ABCDEFGHIJKLMNOPQRST"];
const meetings = letters.map((letter, i) => ({
  id: i + 1,
  title: `会议 ${letter}`,
  start_time: `2026-01-${20 + (i % 10)}T10:00:00`,
  end_time: `2026-01-${20 + (i % 10)}T11:00:00`,
}));

test("1.3 the document's example: more than four items become a preview of the first two and the last two, by id and title", () => {
  const original = JSON.stringify({ success: true, items: meetings, total: 20 }, null, 2);
  assert.ok(countTokens(original) > 200);
  const compressed = compressJson(original);
  assert.deepEqual(JSON.parse(compressed), {
    success: true,
    total: 20,
    items_preview: [
      { id: 1, title: "会议 A" },
      { id: 2, title: "会议 B" },
      "... (16 items omitted)",
      { id: 19, title: "会议 S" },
      { id: 20, title: "会议 T" },
    ],
    compressed: true,
  });
  assert.deepEqual(Object.keys(JSON.parse(compressed)), ["success", "total", "items_preview", "compressed"]);
  assert.ok(countTokens(compressed) <= 100, `${countTokens(compressed)} tokens`);
});

test("1.3 and 2 tool_output_max_tokens: 200 tokens stay as they are, one more is compressed", () => {
  const of = (words) => JSON.stringify({ success: true, log: " word".repeat(words) });
  let words = 1;
  while (countTokens(of(words + 1)) <= 200) words++;
  assert.equal(compressJson(of(words)), of(words));
  assert.notEqual(compressJson(of(words + 1)), of(words + 1));
  assert.notEqual(compressJson(of(words), { maxTokens: countTokens(of(words)) - 1 }), of(words));
  assert.equal(compressJson(of(words + 1), { maxTokens: countTokens(of(words + 1)) }), of(words + 1));
});

test("1.3 long strings are cut; success or failure, the error's text and counts are kept", () => {
  const answer = { success: false, error: "disk full: /dev/sda1", count: 3, output: "log line\n".repeat(500) };
  const compressed = JSON.parse(compressJson(JSON.stringify(answer)));
  assert.deepEqual({ ...compressed, output: "" }, { success: false, error: "disk full: /dev/sda1", count: 3, output: "", compressed: true });
  assert.ok(compressed.output.length <= 200 && compressed.output.startsWith("log line\n"));
});

describe("beyond the example", () => {
  test("numbers stay as they were written", () => {
    const text = `{"id": 9223372036854775807, "price": 1.10, "far": 1e400, "log": "${"x ".repeat(2000)}"}`;
    assert.match(compressJson(text), /^\{"id":9223372036854775807,"price":1\.10,"far":1e400,"log":"x x /);
  });

  test("JSON lines are compressed line by line", () => {
    const lines = [1, 2, 3].map((id) => JSON.stringify({ id, body: "b ".repeat(900) })).join("\n");
    const out = compressJson(lines).split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(out.map((o) => [o.id, o.compressed]), [[1, true], [2, true], [3, true]]);
  });

  test("text that is not JSON, and JSON that cannot become smaller, stay as they are", () => {
    for (const text of ["plain text ".repeat(500), `{"a": 1} trailing ${"x ".repeat(500)}`, `{'a': '${"x ".repeat(500)}'}`, "[1, 2", `${"9".repeat(5000)}`, ""])
      assert.equal(compressJson(text), text);
  });

  test("deep nesting is no problem", () => {
    const text = `${'{"a":['.repeat(50_000)}"${"deep ".repeat(500)}"${"]}".repeat(50_000)}`;
    assert.ok(compressJson(text).length < text.length - 2000);
  });

  test("wrong options are refused with their key", () => {
    for (const [options, key] of [[{ maxTokens: -1 }, "maxTokens"], [{ maxTokens: "5" }, "maxTokens"], [{ max: 5 }, "max"], [5, "options"], [null, "options"]])
      assert.throws(() => compressJson("{}", options), (error) => failsWith("INVALID_ARGUMENT")(error) && error.message.includes(`${key}\``));
  });
});
