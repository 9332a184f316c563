// The pure parts of `npm run bench:fidelity`: no model, no network.

import assert from "node:assert/strict";
import { test } from "node:test";
import { closed, interval, mean, sign } from "../../benches/fidelity/bootstrap.mjs";
import { counter } from "../../benches/fidelity/count.mjs";
import { evenCut, newest } from "../../benches/fidelity/even-cut.mjs";
import { budgetOf, candidates, choose, least } from "../../benches/fidelity/points.mjs";
import { said, templates } from "../../benches/fidelity/template.mjs";
import { random } from "../../benches/tokens/generate.mjs";

const count = counter((text) => Math.ceil(text.length / 4));

/** A session with lines, calls, outputs and answers of any size. */
function history(seed) {
  const next = random(seed);
  const text = (most) => Array.from({ length: 1 + Math.floor(next() * most) }, (_, i) => `line ${i} says ${Math.floor(next() * 1e6)}`).join("\n");
  const out = [{ role: "system", content: text(20) }];
  for (let n = 0; n < 30; n++) {
    if (n === 0 || next() < 0.3) out.push({ role: "user", content: text(30) });
    const calls = Array.from({ length: Math.floor(next() * 3) }, (_, i) => ({ id: `c${n}_${i}`, type: "function", function: { name: "edit", arguments: JSON.stringify({ path: "src/a.rs", lines: [text(60)] }) } }));
    out.push({ role: "assistant", content: text(20), ...(calls.length && { tool_calls: calls }) });
    for (const { id } of calls) out.push({ role: "tool", tool_call_id: id, content: text(120) });
  }
  return out;
}

for (const [name, policy] of [["even cut", evenCut], ["newest steps", newest]])
  test(`${name}: never over the budget, every call with its outputs, nothing reordered`, () => {
    for (let seed = 1; seed <= 40; seed++) {
      const full = history(seed);
      const point = { full, none: least(full) };
      for (const share of [0, 0.05, 0.1, 0.3, 0.6, 1]) {
        const budget = budgetOf(point, share, count);
        const view = policy(full, budget, count);
        assert.ok(count.list(view) <= budget, `seed ${seed}, share ${share}: ${count.list(view)} of ${budget}`);
        const calls = view.flatMap((m) => (m.tool_calls ?? []).map((c) => c.id));
        assert.deepEqual(view.filter((m) => m.role === "tool").map((m) => m.tool_call_id), calls);
        for (const c of view.flatMap((m) => m.tool_calls ?? [])) assert.deepEqual(Object.keys(JSON.parse(c.function.arguments)), ["path", "lines"]);
        for (const m of point.none) assert.ok(view.some((v) => v === m));
        if (share === 1) assert.equal(view.length, full.length);
      }
    }
  });

test("points: the same by the same seed, one of each recording first", () => {
  const sizes = { least: 100, most: 5_000, gap: 50, message: 5 };
  const lists = [1, 2, 3].map((seed) => candidates({ name: `r${seed}`, group: "coding", messages: history(seed) }, count, sizes));
  const first = choose(lists, 5, 7);
  assert.deepEqual(first, choose(lists, 5, 7));
  assert.equal(new Set(first.slice(0, 3).map((p) => p.name)).size, 3);
  for (const p of first) assert.deepEqual([p.next.role, p.full.at(-1).role !== "system"], ["assistant", true]);
});

test("bootstrap: an interval contains its estimate, and a constant difference is significant", () => {
  const pairs = Array.from({ length: 20 }, (_, i) => ({ none: 3, full: 1, loss: 1 + (i % 5) / 10 }));
  const [at, low, high] = interval(pairs, closed);
  assert.ok(low < at && at < high);
  assert.ok(Math.abs(at - 0.9) < 1e-9);
  const losses = pairs.map((p) => p.loss);
  assert.deepEqual([sign(losses, losses.map((l) => l + 0.1)), sign(losses.map((l) => l + 0.1), losses), sign(losses, losses)], ["+", "−", ""]);
  assert.equal(mean([1, 2, 3]), 2);
});

test("template: no call id is written, and adjacent messages of one role form one turn", () => {
  const call = { id: "call_random", type: "function", function: { name: "read", arguments: '{"path":"a"}' } };
  const list = [{ role: "user", content: "Read." }, { role: "assistant", content: "", tool_calls: [call] }, { role: "tool", tool_call_id: "call_random", content: "text" }, { role: "user", content: "And?" }];
  for (const template of Object.values(templates)) {
    const written = template(list).map((p) => p.mark ?? p).join("");
    assert.ok(!written.includes("call_random"));
    assert.ok(written.includes("</tool_response>\nAnd?"));
  }
  assert.equal(said(list[1]), '<tool_call>{"name": "read", "arguments": {"path":"a"}}</tool_call>');
});
