// A walk over all public operations in every format, beside a twin that is restored before each step: what a step gives, the view, and
// the bytes are the same of both; a call that fails leaves the bytes as they were; a fold by hand that is undone leaves the view as
// it was.
//
//   node fuzz/walk.mjs --operations 20000 [--seconds N] [--from N] [--format anthropic]   so many in each format, no longer than that
//   node fuzz/walk.mjs --seed N --format anthropic                                        one session again, step by step

import { Session, ContextError } from "contextfold";
import { FORMATS } from "../tests/support/session.mjs";
import { random } from "./random.mjs";
import { useAltered } from "./crafted.mjs";
import { entries } from "./entries.mjs";

/** So many steps has a session. */
const STEPS = 50;

const given = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? null : process.argv[at + 1];
};
const only = given("seed");
const from = Number(only ?? given("from") ?? 1);
const most = Number(given("operations") ?? 2000);
const formats = given("format") ? [given("format")] : FORMATS;
const milliseconds = (1000 * Number(given("seconds") ?? Infinity)) / formats.length;
const json = (value) => JSON.stringify(value);
const listOf = (view) => (Array.isArray(view) ? view : (view.input ?? view.messages ?? view.contents));
const summarize = () => "<summary>They went on with the work.</summary>";

/** What a session shows. */
const shown = (session, formats) => json([formats.map((format) => session.view(format)), session.items(), session.folds(), session.tokens]);

/** One of the ids in the view, or of the history. */
const idOf = (session, die) => die.pick(session.items())?.id ?? "m1";
const textOf = (session, id) => {
  const content = session.messages.find((m) => m.id === id)?.content;
  return typeof content === "string" ? content.slice(0, 12) : "";
};

/** Steps: each takes its dice once, and gives what is done to a session with a copy of its data. */
const STEPS_OF = {
  grow: (state, die) => {
    state.list.push(...state.more(die));
    return (session, list) => session.sync(state.format, list);
  },
  push: (state, die) => {
    const more = state.more(die);
    state.list.push(...more);
    return (session) => session.pushFrom(state.format, structuredClone(more));
  },
  rewrite: (state, die) => {
    state.list = [...state.list.slice(0, die.below(state.list.length + 1)), ...state.more(die)];
    return (session, list) => session.sync(state.format, list);
  },
  handBack: (state, die) => {
    state.list = [...structuredClone(listOf(state.session.view(state.format))), ...state.more(die)];
    return (session, list) => session.sync(state.format, list);
  },
  prepare: () => async (session) => void (await session.prepare()),
  compact: () => async (session) => void (await session.compact()),
  pin: (state, die) => {
    const id = idOf(state.session, die);
    return (session) => session.pin(id);
  },
  unpin: (state, die) => {
    const id = idOf(state.session, die);
    return (session) => session.unpin(id);
  },
  pinText: (state, die) => {
    const id = idOf(state.session, die);
    const text = textOf(state.session, id);
    if (text.trim()) state.pinned.push({ id, text });
    return (session) => session.pin({ id, text });
  },
  unpinText: (state, die) => {
    const pinned = die.pick(state.pinned) ?? { id: "m1", text: "x" };
    return (session) => session.unpin(pinned);
  },
  unfold: (state, die) => {
    const id = die.pick(state.session.folds())?.id ?? "fold_1";
    return (session) => session.unfold(id);
  },
  foldByHand: (state, die) => {
    const ids = idsInARow(state.session, die);
    return (session) => session.graph.compress(ids, "By hand.");
  },
  foldAndBack: (state, die) => {
    const ids = idsInARow(state.session, die);
    return (session) => {
      const before = json(session.view("messages"));
      const fold = session.graph.compress(ids, "By hand.");
      session.graph.expand(fold);
      const after = json(session.view("messages"));
      if (before !== after) throw new Error(`a fold of ${ids} that was undone left another view:\n${apart(before, after)}`);
    };
  },
  rewind: (state, die) => {
    const id = idOf(state.session, die);
    return (session) => session.rewind(id);
  },
  header: (state, die) => {
    const text = `Rules, version ${die.below(3)}.`;
    return (session) => session.setHeader(text);
  },
  window: (state, die) => {
    const contextWindow = die.pick([400, 900, 2000, 6000]);
    return (session) => session.setOptions({ contextWindow });
  },
  garbage: () => (session) => session.toolOutputs.collectGarbage(),
  malformed: (state) => (session) => session.pushFrom(state.format, [{ role: 7 }]),
  unknown: () => (session) => session.unfold("nothing"),
  twice: () => (session) => session.push({ role: "tool", tool_call_id: 7, content: "x" }),
};
const NAMES = ["grow", "grow", "grow", "grow", "push", "push", "prepare", "prepare", ...Object.keys(STEPS_OF)];

function idsInARow(session, die) {
  const items = session.items();
  const at = die.below(items.length + 1);
  return items.slice(at, at + 1 + die.below(4)).map((item) => item.id);
}

/** Does a step: what it gives, or the code of what it throws. */
async function done(session, step, list) {
  try {
    return { gave: json((await step(session, structuredClone(list))) ?? null) };
  } catch (error) {
    if (!ContextError.isInstance(error) || error.code === "INTERNAL") throw error;
    return { threw: error.code, why: error.message };
  }
}

/** Two texts from a little before where they part. */
const apart = (was, is) => {
  let at = 0;
  while (was[at] === is[at]) at++;
  return [was, is].map((text) => text.slice(Math.max(0, at - 300), at + 600)).join("\n");
};
const expect = (is, was, what) => {
  if (is !== was) throw new Error(`${what}:\n${apart(was, is)}`);
};
const bytesOf = (session) => Buffer.from(session.snapshot()).toString("latin1");

async function walk(format, seed, told) {
  const die = random(seed * 31 + FORMATS.indexOf(format));
  const options = { contextWindow: die.pick([500, 900, 2000, 6000]), tokenizer: "bytes/4", safetyMargin: 0 };
  if (die.chance(0.4)) options.ladder = die.pick([[{ pass: "truncate_head_tail" }], [{ pass: "trim_outputs" }, { pass: "summarize" }], "steps-v1", "rolling"]);
  const functions = die.chance(0.5) ? { summarize } : {};
  const state = { format, list: [], pinned: [], more: entries(format) };
  try {
    state.session = new Session({ ...options, ...functions });
  } catch {
    state.session = new Session({ contextWindow: options.contextWindow, ...functions });
  }
  for (let n = 0; n < STEPS; n++) {
    const name = die.pick(NAMES);
    const formats = [...new Set([format, "messages", die.pick(FORMATS)])];
    const shows = shown(state.session, formats); // and has been read from here on, which a usage that is reported asks
    const before = state.session.snapshot();
    let twin = Session.restore(before, functions);
    told(`step ${n}: ${name}`);
    expect(bytesOf(twin), bytesOf(state.session), `step ${n}, ${name}: the restored session has other bytes`);
    expect(shown(twin, formats), shows, `step ${n}, before ${name}: the restored session shows something else`);
    const folds = state.session.folds().length;
    const step = STEPS_OF[name](state, die);
    const list = state.list;
    const came = await done(state.session, step, list);
    const cameOfTwin = await done(twin, step, list);
    told(`   ${json(came).slice(0, 200)}`);
    expect(json(cameOfTwin), json(came), `step ${n}, ${name}: the restored session answers otherwise`);
    if (came.threw && state.session.folds().length === folds)
      expect(bytesOf(state.session), Buffer.from(before).toString("latin1"), `step ${n}, ${name} failed (${came.threw}: ${came.why}) and left other bytes`);
    expect(shown(twin, formats), shown(state.session, formats), `step ${n}, after ${name}: the restored session shows something else`);
    if (die.chance(0.1)) await useAltered(before, die, format, list);
    if (die.chance(0.2)) [state.session, twin] = [twin, state.session]; // goes on as the restored one
    twin.free();
  }
  state.session.free();
}

let failed = 0;
for (const format of formats) {
  const until = performance.now() + milliseconds;
  let [operations, seed] = [0, from];
  for (; operations < most && performance.now() < until && failed < 3; seed++, operations += STEPS) {
    try {
      await walk(format, seed, only === null ? () => {} : console.log);
    } catch (error) {
      failed++;
      console.log(`${format}, seed ${seed}: ${error.message.slice(0, 4000)}${error.cause ? `\n${error.cause.stack ?? error.cause}` : ""}\nagain: node fuzz/walk.mjs --seed ${seed} --format ${format}`);
      if (error.code === "INTERNAL") process.exit(1); // its module is spoilt
    }
    if (only !== null) break;
  }
  console.log(`walk: ${operations} operations in ${format}, seeds ${from} to ${seed - 1}`);
}
process.exit(failed ? 1 : 0);
