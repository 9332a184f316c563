// Compiled, not run: the caller's own rules, and what must be refused.

import { Session } from "contextfold";
import type { CustomPassItem, Pass, SessionOptions, TrimmedOutput, Undone } from "contextfold";

const options: SessionOptions = {
  toolOutputCache: {
    tools: { read_plan: "keep", ls: { maxTokens: 200 }, "mcp__*": "first" },
    placeholder: ({ ref, name, args, tokens }: TrimmedOutput) => `[${name}(${args.path}): ${tokens} tokens, ${ref ?? "gone"}]`,
  },
  ladder: [
    { pass: "trim_tool_outputs" },
    { pass: "custom", name: "mine", run: ({ items, overBy }) => ({ drop: items.filter((item: CustomPassItem) => item.age > 3 && overBy > 0).map(({ id }) => id) }) },
    { pass: "custom", run: () => undefined },
    { pass: "summarize" },
  ],
};
// @ts-expect-error no such rule
const rule: SessionOptions = { toolOutputCache: { tools: { ls: "last" } } };
// @ts-expect-error a custom pass needs a function
const runless: Pass = { pass: "custom" };
// @ts-expect-error it must decide synchronously
const late: Pass = { pass: "custom", run: async () => ({ drop: [] }) };

export function uses(): unknown[] {
  const session = new Session(options);
  const undone: Undone = session.unfold("fold_1", { hold: true });
  session.on("compaction_progress", ({ chunk, chunks, text }) => console.log(chunk, chunks, text));
  const whole: number | undefined = session.report?.tool_outputs.whole;
  const cut = session.report?.decisions.some((decision) => decision.pass === "cut_tool_outputs");
  return [undone.notice, whole, cut, rule, runless, late];
}
