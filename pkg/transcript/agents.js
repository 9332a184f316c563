// Session files of agents: Claude Code's, and Codex's rollouts. Both are JSON lines with an envelope around each message.

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The agent that wrote these lines: `"claude-code"`, `"codex"`, or `null`. */
export function agentOf(lines) {
  if (lines.some((line) => typeof line.sessionId === "string" && typeof line.uuid === "string" && isObject(line.message))) return "claude-code";
  const isRollout = (line) => isObject(line.payload) && ["session_meta", "response_item", "turn_context", "event_msg", "compacted"].includes(line.type);
  if (lines.some(isRollout) || isOldRollout(lines)) return "codex";
  return null;
}

/** Reads such a file's lines: `{ format, body, key, model, usage, notes, lanes }`. */
export const readAgent = (agent, lines) => (agent === "codex" ? readCodex(lines) : readClaudeCode(lines));

// ---- Claude Code

/**
 * Each line is a message or a part of one. An answer of several blocks has one line for each block, all with the same message id,
 * and there may be outputs between them. Lines of sub-agents and rewound lines are not part of the conversation.
 */
function readClaudeCode(lines) {
  const notes = new Notes();
  const isSaid = (line) => isObject(line.message) && (line.type === "user" || line.type === "assistant");
  // If a file has only lines of a sub-agent, it is the sub-agent's own file, and they are the conversation.
  const isBeside = lines.some((line) => isSaid(line) && !line.isSidechain) ? (line) => line.isSidechain === true : () => false;
  const said = lines.filter((line) => {
    if (!isSaid(line)) return false;
    if (isBeside(line)) return notes.count("of sub-agents");
    if (line.isCompactSummary) return notes.count("a summary of messages that are here in full", "summaries of messages that are here in full");
    if (line.isVisibleInTranscriptOnly) return notes.count("shown, and never sent");
    if (line.isApiErrorMessage || line.message.model === "<synthetic>") return notes.count("an error of the API, not written by the model", "errors of the API, not written by the model");
    return true;
  });
  const { messages, model, usages } = messagesOf(withoutRewound(said, lines, notes));
  let usage = null;
  for (const each of usages) usage = sum(usage, {
    input_tokens: number(each.input_tokens) + number(each.cache_read_input_tokens) + number(each.cache_creation_input_tokens),
    cached_tokens: number(each.cache_read_input_tokens),
    cache_write_tokens: number(each.cache_creation_input_tokens),
    output_tokens: number(each.output_tokens),
    calls: 1,
  });
  const lanes = lanesOf(lines.filter((line) => isSaid(line) && isBeside(line)), messages);
  return { format: "anthropic", key: "messages", body: { messages }, model, usage, notes: notes.list, lanes };
}

/** Converts lines to messages: `{ messages, model, usages }`. */
function messagesOf(lines) {
  const messages = [];
  const answers = new Map(); // by the message's id
  const usages = new Map();
  let model;
  for (const { type, message } of lines) {
    const content = typeof message.content === "string" ? message.content : Array.isArray(message.content) ? message.content : [];
    if (content.length === 0) continue;
    if (type === "assistant") {
      model = message.model ?? model;
      if (isObject(message.usage)) usages.set(message.id ?? usages.size, message.usage);
      const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
      const earlier = message.id && answers.get(message.id);
      if (earlier) earlier.content.push(...blocks);
      else {
        const answer = { role: "assistant", content: [...blocks] };
        if (message.id) answers.set(message.id, answer);
        messages.push(answer);
      }
      continue;
    }
    const last = messages.at(-1);
    const isOutputs = Array.isArray(content) && content.some((block) => block?.type === "tool_result");
    if (isOutputs && last?.role === "user" && holdsOutputs(last)) last.content.push(...content);
    else messages.push({ role: "user", content: Array.isArray(content) ? [...content] : content });
  }
  return { messages, model, usages: [...usages.values()] };
}

/** The conversations of sub-agents, each with the call in the main conversation that started it, found by its prompt. */
function lanesOf(lines, main) {
  const chains = new Map();
  const roots = new Map(); // by a line's id, the first line of its chain
  for (const line of lines) {
    const root = line.agentId ?? roots.get(line.parentUuid) ?? line.uuid;
    roots.set(line.uuid, root);
    chains.set(root, [...(chains.get(root) ?? []), line]);
  }
  const calls = main.flatMap(({ content }) => (Array.isArray(content) ? content.filter((block) => block?.type === "tool_use" && typeof block.input?.prompt === "string") : []));
  return [...chains.values()].map((chain, at) => {
    const { messages } = messagesOf(chain);
    const [first] = messages;
    const prompt = Array.isArray(first?.content) ? first.content.map((block) => block?.text ?? "").join("\n") : first?.content;
    const found = calls.findIndex((call) => call.input.prompt === prompt);
    const [call] = found < 0 ? [] : calls.splice(found, 1);
    const { subagent_type: kind, description } = call?.input ?? {};
    const name = [kind, description].filter((word) => typeof word === "string" && word).join(": ") || `sub-agent ${at + 1}`;
    return { name, messages, ...(call && { call: call.id }) };
  });
}

const holdsOutputs = (message) => Array.isArray(message.content) && message.content.some((block) => block?.type === "tool_result");

/** Leaves out rewound lines: if the user went back to an earlier point and typed something else, what came after that point is dropped. */
function withoutRewound(said, lines, notes) {
  const parents = new Map(lines.map((line) => [line.uuid, line.parentUuid ?? line.logicalParentUuid]));
  const kept = [];
  for (const line of said) {
    if (line.type === "user" && !holdsOutputs(line.message) && kept.length) {
      const at = indexOfAncestor(kept, line, parents);
      const typedSince = at === null ? [] : kept.slice(at + 1).filter((other) => other.type === "user" && !holdsOutputs(other.message) && !other.isMeta);
      if (typedSince.length && !line.isMeta) {
        for (const _ of kept.splice(at + 1)) notes.count("rewound");
      }
    }
    kept.push(line);
  }
  return kept;
}

/** The index in `kept` of a line's nearest ancestor; −1 if the line begins anew, `null` if unknown. */
function indexOfAncestor(kept, line, parents) {
  const places = new Map(kept.map((each, at) => [each.uuid, at]));
  let id = line.parentUuid ?? line.logicalParentUuid;
  for (let steps = 0; id && steps < 10_000; steps++) {
    if (places.has(id)) return places.get(id);
    if (!parents.has(id)) return null;
    id = parents.get(id);
  }
  return null;
}

// ---- Codex

const NOT_SENT = new Set(["ghost_snapshot"]);

/** Early rollouts had no envelope: a line about the session, then items. */
const isOldRollout = ([first, ...rest]) =>
  isObject(first) && typeof first.id === "string" && typeof first.timestamp === "string" && !first.type && !first.role && rest.some((line) => line.type === "message" || line.record_type === "state");

function readCodex(lines) {
  const notes = new Notes();
  const input = [];
  let instructions, model, usage, compactions = 0;
  const item = (payload) => {
    if (!isObject(payload) || typeof payload.type !== "string") return;
    if (NOT_SENT.has(payload.type)) notes.count("a snapshot of the files, never sent", "snapshots of the files, never sent");
    else input.push(payload);
  };
  if (isOldRollout(lines)) {
    instructions = lines[0].instructions;
    for (const line of lines.slice(1)) if (!line.record_type) item(line);
  } else
    for (const { type, payload } of lines) {
      if (!isObject(payload)) continue;
      if (type === "session_meta") instructions ??= payload.base_instructions?.text ?? payload.instructions;
      else if (type === "turn_context") model = payload.model ?? model;
      else if (type === "response_item") item(payload.type ? payload : payload.item);
      else if (type === "compacted") compactions += 1;
      else if (type === "event_msg" && payload.type === "token_count" && isObject(payload.info?.total_token_usage)) {
        const total = payload.info.total_token_usage;
        usage = {
          input_tokens: number(total.input_tokens),
          cached_tokens: number(total.cached_input_tokens),
          cache_write_tokens: 0,
          output_tokens: number(total.output_tokens),
          calls: (usage?.calls ?? 0) + 1,
        };
      }
    }
  for (let i = 0; i < compactions; i++) notes.count("a summary of messages that are here in full", "summaries of messages that are here in full");
  const body = { ...(typeof instructions === "string" && instructions && { instructions }), input };
  return { format: "openai-responses", key: "input", body, model, usage: usage ?? null, notes: notes.list };
}

// ----

const number = (value) => (Number.isFinite(value) ? value : 0);

const sum = (a, b) => (a ? Object.fromEntries(Object.keys(b).map((key) => [key, a[key] + b[key]])) : b);

/** Counts what was left out, by reason, for notes such as "left out: 12 entries, of sub-agents". */
class Notes {
  #counts = new Map();

  count(one, many = one) {
    const known = this.#counts.get(one) ?? { one, many, times: 0 };
    known.times += 1;
    this.#counts.set(one, known);
    return false;
  }

  get list() {
    return [...this.#counts.values()].map(({ one, many, times }) => `left out: ${times} ${times === 1 ? "entry" : "entries"}, ${times === 1 ? one : many}`);
  }
}
