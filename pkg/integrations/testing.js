// For tests of agents: scripted summaries and recorders. Nothing here needs a model, a network or a test framework.

import { ContextError, check, convert, countTokens } from "contextfold";
import { objectOf, sessionWith } from "../given.js";
import { unknownKeyIn } from "../nearest.js";

/** See testing.d.ts. */
export function scriptedSummarize(...script) {
  const requests = [];
  const summarize = async (request, { signal } = {}) => {
    signal?.throwIfAborted();
    requests.push(request);
    const step = script[Math.min(requests.length, script.length) - 1] ?? ((asked) => `<summary>Summary ${requests.length} of ${asked.messages.length - 1} messages.</summary>`);
    const answer = typeof step === "function" ? await step(request, { signal }) : step;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return Object.assign(summarize, { requests });
}

/** See testing.d.ts. */
export function recordEvents(session) {
  const events = [];
  const stop = sessionWith("on", session).on("*", (event) => events.push(event));
  return { events, stop, names: () => events.map(({ event }) => event) };
}

/** See testing.d.ts. */
export function recordHooks() {
  const reports = [];
  const errors = [];
  return {
    reports,
    errors,
    options: { onReport: (report) => void reports.push(report), onError: (error) => void errors.push(error) },
    passes: () => reports.flatMap(({ decisions }) => decisions.map(({ pass }) => pass)),
  };
}

const isText = (value) => typeof value === "string";
const isCount = (value) => Number.isInteger(value) && value >= 0;
const OF_TRANSCRIPTS = { task: [isText, "a text"], calls: [isCount, "a whole number"], tokens: [isCount, "a whole number"], answer: [isText, "a text"] };

/** See testing.d.ts. */
export function agentTranscript(format = "messages", options = {}) {
  objectOf(options, "options");
  const unknown = unknownKeyIn(options, Object.keys(OF_TRANSCRIPTS));
  if (unknown !== undefined) throw new ContextError("INVALID_ARGUMENT", unknown);
  for (const [key, [isRight, expected]] of Object.entries(OF_TRANSCRIPTS))
    if (options[key] !== undefined && !isRight(options[key])) throw new ContextError("INVALID_ARGUMENT", `\`${key}\`: expected ${expected}`);
  const { task = "Find out why the build fails.", calls = 30, tokens = 500, answer } = options;
  const messages = [{ role: "user", content: task }];
  for (let n = 1; n <= calls; n++) {
    const id = `call_${n}`;
    messages.push(
      { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path: `src/file${n}.ts` }) } }] },
      { role: "tool", tool_call_id: id, content: textOf(n, tokens) },
    );
  }
  if (answer !== undefined) messages.push({ role: "assistant", content: answer });
  return format === "messages" ? messages : convert("messages", format, messages);
}

/** A text of about this many tokens, different for each `n`. */
function textOf(n, tokens) {
  const lines = [];
  for (let line = 1, size = 0; size < tokens * 3.2; line++) {
    lines.push(`src/file${n}.ts:${line}: value_${n}_${line} = compute(${n * line}, "${(n * 7919 + line * 104729).toString(36)}");`);
    size += lines.at(-1).length;
  }
  return lines.join("\n");
}

/** See testing.d.ts. */
export function assertSendable(format, body, given = {}) {
  const { limit, tokenizer, ...options } = objectOf(given, "options");
  const broken = check(format, body, options).filter(({ severity }) => severity === "error");
  if (broken.length > 0) throw new Error(`the provider would reject it: ${broken.map(({ rule, index, message }) => `${message} (${rule} at ${index})`).join("; ")}`);
  const tokens = countTokens(body, tokenizer);
  if (tokens > (limit ?? Infinity)) throw new Error(`${tokens} tokens are more than ${limit}`);
  return tokens;
}
