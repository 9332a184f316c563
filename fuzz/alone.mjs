// What works without a session: the functions for callers who keep their own list, the graph, OpenAI's history.

import { isDeepStrictEqual } from "node:util";
import {
  ContextGraph, OpenAIHistoryAdapter, Recording, check, compactMessages, compressJson, contextLimit, convert, countTokens, encodingForModel,
  extractiveSummarize, presets, repair, shouldCompact, tokenUsage, toolDefinitions, truncateHeadTail,
} from "contextfold";
import { random } from "./random.mjs";

/** The entries of a view, which is a list or an object that holds one. */
export const entries = (view) => (Array.isArray(view) ? view : (view.input ?? view.contents ?? view.messages));

/** The value as it is saved: lone surrogates are replaced. */
export const wellFormed = (value) => JSON.parse(JSON.stringify(value), (_, v) => (typeof v === "string" ? v.toWellFormed() : v));

/** What the provider would refuse in a list. */
export function refusals(format, list) {
  const wrong = check(format, list, { pending: true }).filter((v) => v.severity === "error");
  return wrong.filter((v) => v.message !== "no messages");
}

/** Calls all of these, even if some throw. */
function each(expected, works) {
  for (const work of works)
    try {
      work();
    } catch (error) {
      expected(error);
    }
}

/** The functions that take a list, called with a corrupted one. */
export function functions(list, op, expected) {
  const options = { provider: op.provider, pending: op.at % 2 === 0, stateful: op.at % 3 === 0, original: op.at % 5 === 0 ? list : undefined };
  each(expected, [
    () => check(op.format, list),
    () => check(op.format, list, options),
    () => countTokens(list),
    () => countTokens(op.with, "bytes/4"),
    () => convert(op.format, op.to, list, { onNote: () => {} }),
    () => repair(op.format, list, options),
    () => new Recording(op.format, list).calls,
  ]);
  const before = check(op.format, list);
  const { output } = repair(op.format, list);
  const left = before.some((v) => v.rule === "schema") ? [] : refusals(op.format, output);
  if (left.length > 0) throw new Error(`repair left ${JSON.stringify(left[0])} in ${JSON.stringify(output).slice(0, 2000)}`);
}

/** What no format may lose or reorder: the ids of calls and of their outputs. */
const said = (list) => list.flatMap((m) => [...(m.tool_calls ?? []).map((call) => call.id), m.tool_call_id]).filter(Boolean);

/** Converts the package's own messages to another format and back. They must be the same, unless that format noted a loss. */
function thereAndBack({ session, spoilt }, { format }) {
  if (spoilt) return;
  const list = wellFormed(session.view("messages"));
  const notes = [];
  const there = convert("messages", format, list, { onNote: (note) => notes.push(note) });
  const back = convert(format, "messages", there);
  if (notes.length === 0 && !isDeepStrictEqual(said(back), said(list))) throw new Error(`${format}: ${JSON.stringify(said(list))} is ${JSON.stringify(said(back))} on the way back`);
}

/** Functions for texts: shortening, counting, cutting. */
function texts({ session, encoding, expected }, op) {
  const json = JSON.stringify(session.view("messages"));
  for (const text of [json, json.slice(0, -7), op.with]) {
    each(expected, [
      () => compressJson(text, { maxTokens: op.seed % 300 }),
      () => truncateHeadTail(text, { max: op.seed % 500, head: op.seed % 90, tail: op.seed % 70 }),
      () => truncateHeadTail(text, op.with),
      () => countTokens(text, op.with),
    ]);
    if (typeof text !== "string") continue;
    const tokens = encoding.encode(text);
    if (tokens.length !== encoding.count(text)) throw new Error("an encoding counts otherwise than it encodes");
    if (encoding.decode(tokens) !== text.toWellFormed()) throw new Error("an encoding decodes to another text");
    if (encoding.countUpTo(text, tokens.length) !== tokens.length || (tokens.length > 0 && encoding.countUpTo(text, tokens.length - 1) !== null)) throw new Error("an encoding stops elsewhere");
  }
}

const TYPES = ["user_message", "agent_message", "task", "summary", "system_message", "developer_message"];

/** A standalone graph; its snapshot must restore the same graph. */
function graph({ expected }, op) {
  const r = random(op.seed);
  const limits = r.chance(0.2) ? { maxNodes: 1 + r.below(8), maxEdges: r.below(9), maxContextNodes: 1 + r.below(5) } : {};
  const made = new ContextGraph(limits);
  const id = () => r.pick(made.nodes().map((node) => node.id).concat("none", "n1"));
  const lane = () => r.pick(["main", "side", "third", ""]);
  for (let n = r.below(40); n > 0; n--)
    each(expected, [
      r.pick([
        () => made.addNode({ type: r.pick(TYPES), content: "x", ...(r.chance(0.5) && { lane: lane() }), ...(r.chance(0.3) && { after: r.chance(0.5) ? id() : [id(), id()] }), ...(r.chance(0.1) && { id: `n${r.below(9)}` }) }),
        () => made.addNode({ type: r.pick(TYPES), message: r.chance(0.8) ? { role: "user", content: "x" } : op.with }),
        () => made.addEdge(id(), id(), r.pick([undefined, "sequence", "dependency", "branch", "x"])),
        () => made.setState(id(), r.pick(["pending", "running", "finished", "errored"])),
        () => made.compress([id(), id(), id()].slice(r.below(3)), r.chance(0.9) ? "s" : ""),
        () => made.expand(id()),
        () => made.fork(id(), lane()),
        () => made.contextForFull(id(), r.chance(0.5) ? { limitTurns: r.below(4) } : undefined),
      ]),
    ]);
  const again = ContextGraph.restore(made.snapshot());
  const same = isDeepStrictEqual(again.nodes(), made.nodes()) && isDeepStrictEqual(again.edges(), made.edges());
  for (const one of [made, again]) one.free();
  if (!same) throw new Error("a graph is restored to another one");
}

/** OpenAI's live list: appended items are added to it, and compacted ones replace others in it. */
function history({ session, expected }, op) {
  const view = entries(session.view("openai-responses"));
  const adapter = new OpenAIHistoryAdapter(view.slice(0, 3));
  const list = adapter.inputItems;
  each(expected, [() => adapter.append(view.slice(3)), () => adapter.append(op.with), () => adapter.rebuild(session.view("messages")), () => adapter.rebuild(op.with)]);
  if (adapter.inputItems !== list) throw new Error("another list");
  adapter.free();
}

function usage({ session, expected }, op) {
  each(expected, [
    () => tokenUsage(op.with),
    () => shouldCompact(tokenUsage({ input_tokens: op.seed % 5000, output_tokens: 1 }), 1000, op.options.compaction),
    () => shouldCompact(op.with, op.with, op.with),
    () => contextLimit(op.with),
    () => contextLimit("gpt-5", op.with),
    () => encodingForModel(op.with),
    () => toolDefinitions(op.format),
    () => toolDefinitions(op.with),
    () => extractiveSummarize(op.with),
    () => session.restoreSummary(op.with),
  ]);
}

function compacted({ session, given }, op) {
  const { tokenizer, ...options } = op.options;
  return compactMessages(session.view("messages"), { ...options, ...given }).then(({ messages, report }) => {
    if (report.tokens_after > report.tokens_before && report.decisions.length === 0) throw new Error("it grew by itself");
    if (!Array.isArray(messages)) throw new Error("no messages");
  });
}

/** Simulates some ladders on the session's messages. */
function simulated({ session }, op) {
  const { contextWindow = 1000, tokenizer, ladder, ...options } = op.options;
  const recording = new Recording(op.format, session.view(op.format));
  try {
    if (recording.calls === 0) return;
    for (const preset of Object.keys(presets).slice(op.seed % 3, (op.seed % 3) + 2)) {
      const run = recording.replay({ ...options, contextWindow, ladder: preset });
      run.run();
      run.free();
    }
    recording.sessionAt(op.seed % recording.calls, { contextWindow }).free();
  } finally {
    recording.free();
  }
}

export const ALONE = { texts, graph, history, usage, compactMessages: compacted, simulate: simulated, thereAndBack };
