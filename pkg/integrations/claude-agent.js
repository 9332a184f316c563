// The Claude Agent SDK: a hook that runs after Claude Code's own compactions. Does not import the SDK.

import { readFile } from "node:fs/promises";
import { ContextError, Session, extractiveSummarize } from "contextfold";
import { readTranscript } from "contextfold/transcript";
import { optionsOf } from "../given.js";
import { nearest } from "../nearest.js";

const OPTIONS = ["maxTokens", "strict", "onError"];
/** Matches the user messages that Claude Code writes into its transcript for local commands. */
const COMMAND = /^\s*<(local-command-|command-name>)/;

/** See claude-agent.d.ts. */
export function compactionHooks(options = {}) {
  const { maxTokens = 2000, strict, onError } = read(options);
  // The record is a summary and a ledger of what the summary left out: half of the tokens for each.
  const half = Math.ceil(maxTokens / 2);
  const ofSession = { summarize: extractiveSummarize({ maxTokens: half }), compaction: { ledgerTokens: half } };
  let isSaid = false;
  const failed = (error) => {
    if (strict) throw error;
    if (onError) {
      try {
        onError(error);
      } catch {
        // an error of the observer must not stop the agent
      }
      return {};
    }
    if (!isSaid) console.warn(`contextfold (claude-agent): no record was added after a compaction; the agent continues without it. ${error} (reported once; \`onError\` gets every failure, \`strict: true\` throws it)`);
    isSaid = true;
    return {};
  };
  const remind = async ({ transcript_path }) => {
    try {
      const additionalContext = await recordOf(await readFile(transcript_path, "utf8"), ofSession);
      return additionalContext ? { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext } } : {};
    } catch (error) {
      return failed(error);
    }
  };
  return { SessionStart: [{ matcher: "compact", hooks: [remind] }] };
}

function read(given) {
  const options = optionsOf(given);
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown !== undefined) throw new ContextError("INVALID_CONFIG", `\`${unknown}\`: unknown key; did you mean \`${nearest(unknown, OPTIONS) ?? OPTIONS.join("`, `")}\`?`);
  if (options.maxTokens !== undefined && !(Number.isInteger(options.maxTokens) && options.maxTokens >= 100)) throw new ContextError("INVALID_CONFIG", "maxTokens: expected a whole number of at least 100");
  if (options.onError !== undefined && typeof options.onError !== "function") throw new ContextError("INVALID_CONFIG", "onError: expected a function");
  return options;
}

/** The record of a transcript, word for word where possible. The file has all messages, even those before earlier compactions. */
async function recordOf(text, ofSession) {
  const { format, items } = readTranscript(text, { partial: true }); // the last line may be half written
  const session = new Session(ofSession);
  try {
    session.pushFrom(format, items.filter(({ role, content }) => !(role === "user" && typeof content === "string" && COMMAND.test(content))));
    session.push({ role: "user", content: "Go on." }); // because the newest user message is never folded
    await session.compact();
    const fold = session.folds().at(-1);
    return fold && `From the conversation before it was compacted, word for word:\n\n${[fold.summary, fold.ledger].filter(Boolean).join("\n\n")}`;
  } finally {
    session.free();
  }
}
