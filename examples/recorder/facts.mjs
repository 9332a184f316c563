// Ten facts that a summary of the recording must contain, taken from what happened in it.
import { TEST } from "./change.mjs";
import { StoryError } from "./transcript.mjs";
import { filesOf } from "./turns.mjs";

export function factsOf(agent, { errorFile }) {
  const { read, changed } = filesOf(agent);
  const often = [...read].filter(([path]) => !changed.has(path)).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const failed = agent.calls.find((call) => call.args.command === TEST && call.exit !== 0);
  const codes = [...new Set(agent.calls.flatMap((call) => (call.exit ? (call.output.match(/error\[E\d{4}\]/g) ?? []) : [])))];
  const refused = agent.calls.find((call) => call.exit && call.args.command?.startsWith("cargo clippy"));
  const facts = [
    ["the task: a remedy for each error code", ["Remedy", "ErrorCode::remedy()"]],
    ["constraint: what must not be edited", ["Never edit files under `pkg/`"]],
    ["constraint: no new dependencies", ["Don't add dependencies"]],
    ["constraint of a later turn: no wildcard over the codes", ["never add a wildcard arm"]],
    ["files read", often.slice(0, 2).map(([path]) => path)],
    ["files changed", [...changed.keys()]],
    ["the test command and that it failed first", [TEST, String(failed?.exit)]],
    ["the compiler's errors", codes.map((code) => code.slice(6, -1))],
    ["a decision with its reason", ["STORE_CONFLICT", "because another writer saved first"]],
    ["what is still open", ["docs/errors.md", "in step with `ErrorCode::ALL`", "is not written"]],
  ].map(([fact, must_contain]) => ({ fact, must_contain }));

  if (!refused) throw new StoryError("no linter run failed");
  const text = agent.toJson();
  for (const part of facts.flatMap((fact) => fact.must_contain)) {
    if (!text.includes(JSON.stringify(part).slice(1, -1))) throw new StoryError(`the recording does not hold ${part}`);
  }
  if (codes.length < 2) throw new StoryError("fewer than two compiler errors were met");
  return facts;
}
