// A walk that compares a session after each step with a twin, restored from the first snapshot and the records of everything since. What
// the twin shows, and what it returns and shows after the next step, must be the same. A third session only follows with `refresh`.
//
//   node fuzz/journal.mjs --operations 20000 [--seconds N] [--from N] [--format anthropic]   this many per format, within the time
//   node fuzz/journal.mjs --seed N --format anthropic                                        one session again, step by step

import { pathToFileURL } from "node:url";
import { ContextError, Session } from "contextfold";
import { memoryJournals } from "contextfold/stores/memory";
import { FORMATS } from "../tests/support/session.mjs";
import { walkArguments } from "./arguments.mjs";
import { entries } from "./entries.mjs";
import { random } from "./random.mjs";
import { done, idOf, NAMES, STEPS_OF } from "./steps.mjs";

/** The number of steps of a session. */
export const STEPS = 50;

const json = (value) => JSON.stringify(value);
const summarize = () => "<summary>They went on with the work.</summary>";

/** A session's view in a format, or the error code if the format cannot express it. */
function view(session, format) {
  try {
    return session.view(format);
  } catch (error) {
    if (!ContextError.isInstance(error) || error.code === "INTERNAL") throw error;
    return error.code;
  }
}

/** Everything that a session shows. */
export function shown(session, formats = FORMATS) {
  const { tokens, limit, threshold, window, ladder, summaryState } = session;
  const views = Object.fromEntries(formats.map((format) => [format, view(session, format)]));
  const lists = { items: session.items(), folds: session.folds(), leftOut: session.leftOut(), refs: session.toolOutputs.refs(), due: session.shouldCompact() };
  return json({ ...views, ...lists, tokens, limit, threshold, window, ladder, summaryState });
}

/** A session's past, except reports of failed runs, which are not saved. */
export const recalled = ({ report, graph, messages }) => json({ report, messages, nodes: graph.nodes(), edges: graph.edges() });

/** More steps, for what only a journal has to record. */
const MORE = {
  context: (_, die) => {
    const parts = die.pick([null, { memory: [`remember ${die.below(9)}`] }, { injections: [{ role: "user", content: `Today is day ${die.below(7)}.` }], memory: ["and this"] }, { skills: [{ name: "sew", description: "to sew", content: "A needle." }] }]);
    return (session) => session.setContext(parts);
  },
  tools: (_, die) => {
    const tools = Array.from({ length: die.below(3) }, (__, n) => ({ type: "function", function: { name: `run${n}`, description: `of version ${die.below(3)}`, parameters: { type: "object" } } }));
    return (session) => session.setTools("openai-chat", tools);
  },
  options: (_, die) => {
    const options = die.pick([{ reservedOutputTokens: 10 + die.below(40) }, { compaction: { lowRatio: 0.3 } }, { toolOutputCache: { maxMessageBytes: 200 + die.below(400) } }, { ladder: "steps-v1" }, { ladder: [{ pass: "truncate_head_tail" }] }, { tokenizer: "estimate" }, { tokenizer: "bytes/4" }]);
    return (session) => session.setOptions(options);
  },
  usage: (_, die) => {
    const usage = { input_tokens: 100 + die.below(900), output_tokens: die.below(50) };
    return (session) => session.recordUsage(usage);
  },
  learn: (_, die) => {
    const most = 300 + die.below(600);
    return async (session) => void (await session.recover(new Error(`prompt is too long: ${most + 100} tokens > ${most} maximum`)));
  },
  fork: (state, die) => {
    const id = idOf(state.session, die);
    const words = `the branch found ${die.below(100)}`;
    return (session) => {
      const branch = session.fork(id);
      try {
        branch.push([{ role: "user", content: "Look into it." }, { role: "assistant", content: words }]);
        session.merge(branch, { role: "user" });
      } finally {
        branch.free();
      }
    };
  },
  put: (state, die) => {
    const text = `${"put in by hand ".repeat(1 + die.below(30))}${die.below(1000)}`;
    state.put.push(`put_${state.put.length}`);
    const id = state.put.at(-1);
    return (session) => session.toolOutputs.put(text, { id });
  },
  stream: (state, die) => {
    const ref = die.pick(state.put) ?? "out_0";
    const bytes = new TextEncoder().encode("streamed é日本😀\n".repeat(1 + die.below(4)));
    const chunk = die.chance(0.5) ? bytes.subarray(0, bytes.length - die.below(12)) : "a chunk\n";
    return (session) => session.toolOutputs.append(ref, chunk);
  },
  late: (state, die) => {
    const ref = die.pick(state.put) ?? "out_0";
    return (session) => session.toolOutputs.append(ref, Uint8Array.of(0x9c, 0xac, 0x0a)); // the rest of a split character
  },
  hold: (state, die) => {
    const id = die.pick(state.session.folds())?.id ?? "fold_1";
    return (session) => session.unfold(id, { hold: true });
  },
  fill: () => async (session) => void (await session.prepare({ fill: true })),
  erase: (state, die) => {
    const id = die.pick(state.session.messages)?.id ?? "m1";
    return (session) => session.erase(id);
  },
};

const bytesOf = (session) => Buffer.from(session.snapshot()).toString("latin1");

/** Where two values differ, and both values there. */
function apart(was, is, path = "") {
  if ([was, is].every((value) => value !== null && typeof value === "object"))
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
      const told = json(was[key]) === json(is[key]) ? null : apart(was[key], is[key], `${path}.${key}`);
      if (told) return told;
    }
  return json(was) === json(is) ? null : `${path}: ${json(was)?.slice(0, 500)}\n  and not ${json(is)?.slice(0, 500)}`;
}

function expect(is, was, what) {
  if (is !== was) throw new Error(`${what}:\n${apart(JSON.parse(was), JSON.parse(is))}`);
}

/** Restores the session from the journal's snapshot and all records after it. */
function put(journal, functions) {
  return Session.restore(journal.snapshot, { position: journal.position, changes: journal.records, ...functions });
}

/** Adds what is new to the journal: a record, or a new snapshot if the old one must not be kept. */
function take(journal, session) {
  const now = session.position;
  if (now === journal.end) return;
  const records = session.changes(journal.end);
  if (records === null) Object.assign(journal, begun(session));
  else {
    journal.records.push(records);
    journal.end = now;
  }
}

function begun(session) {
  const { position } = session;
  return { snapshot: session.snapshot(), position, end: position, records: [] };
}

/** One walk with a seed. `told` gets a line for each step. */
export async function walk(format, seed, told = () => {}) {
  const die = random(seed * 31 + FORMATS.indexOf(format));
  const options = { contextWindow: die.pick([500, 900, 2000, 6000]), tokenizer: "bytes/4", safetyMargin: 0 };
  if (die.chance(0.4)) options.ladder = die.pick([[{ pass: "truncate_head_tail" }], [{ pass: "trim_outputs" }, { pass: "summarize" }], "steps-v1", "rolling"]);
  const functions = die.chance(0.5) ? { summarize } : {};
  const state = { format, list: [], pinned: [], put: [], more: entries(format) };
  state.session = new Session({ contextWindow: options.contextWindow, ...functions });
  try {
    state.session.setOptions(options);
  } catch (error) {
    if (error.code !== "INVALID_CONFIG") throw error;
  }
  const names = [...NAMES, ...Object.keys(MORE)];
  const journal = begun(state.session);
  const store = memoryJournals();
  await state.session.save(store, "s");
  let follower = await Session.load(store, "s", functions);
  for (let n = 0; n < STEPS; n++) {
    const name = die.pick(names);
    const formats = [...new Set([format, "messages", die.pick(FORMATS)])];
    const shows = shown(state.session, formats); // this also counts as reading the view
    take(journal, state.session);
    let twin = put(journal, functions);
    told(`step ${n}: ${name}`);
    expect(shown(twin, formats), shows, `step ${n}, before ${name}: the session of the records shows something else`);
    const whole = Session.restore(state.session.snapshot(), functions);
    expect(recalled(twin), recalled(whole), `step ${n}, before ${name}: the session of the records recalls something else`);
    whole.free();
    if (twin.position !== state.session.position) throw new Error(`step ${n}: the session of the records stands elsewhere`);
    const step = (MORE[name] ?? STEPS_OF[name])(state, die);
    const list = state.list;
    const came = await done(state.session, step, list);
    const cameOfTwin = await done(twin, step, list);
    told(`   ${json(came).slice(0, 200)}`);
    expect(json(cameOfTwin), json(came), `step ${n}, ${name}: the session of the records answers otherwise`);
    const after = shown(state.session, formats);
    expect(shown(twin, formats), after, `step ${n}, after ${name}: the session of the records shows something else`);
    if (die.chance(0.2)) {
      // Continue with the twin: its records follow those that it was made from.
      [state.session, twin] = [twin, state.session];
      twin.free();
      if (die.chance(0.3)) Object.assign(journal, begun(state.session));
      const other = memoryJournals();
      await state.session.save(other, "s");
      follower.free();
      follower = await Session.load(other, "s", functions);
      state.store = other;
    } else {
      twin.free();
      await state.session.save(state.store ?? store, "s");
      if (die.chance(0.5)) {
        const position = follower.position;
        const moved = await follower.refresh();
        if (moved !== (position !== state.session.position)) throw new Error(`step ${n}, ${name}: refresh says ${moved}`);
        expect(shown(follower, formats), after, `step ${n}, after ${name}: refreshed, it shows something else`);
        const whole = Session.restore(state.session.snapshot(), functions);
        expect(recalled(follower), recalled(whole), `step ${n}, after ${name}: refreshed, it recalls something else`);
        whole.free();
      }
    }
  }
  expect(bytesOf(Session.restore(put((take(journal, state.session), journal), functions).snapshot(), functions)).length > 0, true, "no bytes");
  follower.free();
  state.session.free();
}

async function main() {
  const { only, from, most, formats, milliseconds } = walkArguments();
  let failed = 0;
  for (const format of formats) {
    const until = performance.now() + milliseconds;
    let [operations, seed] = [0, from];
    for (; operations < most && performance.now() < until && failed < 3; seed++, operations += STEPS) {
      try {
        await walk(format, seed, only === null ? undefined : console.log);
      } catch (error) {
        failed++;
        console.log(`${format}, seed ${seed}: ${error.message.slice(0, 4000)}\n${error.stack?.split("\n").slice(-4).join("\n")}\nagain: node fuzz/journal.mjs --seed ${seed} --format ${format}`);
        if (error.code === "INTERNAL") process.exit(1); // the module is unusable now
      }
      if (only !== null) break;
    }
    console.log(`journal: ${operations} operations in ${format}, seeds ${from} to ${seed - 1}`);
  }
  process.exit(failed ? 1 : 0);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
