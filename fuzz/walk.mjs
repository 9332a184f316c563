// A walk over all public operations in every format, beside a twin that is restored before each step. What a step returns, the view and
// the bytes must be the same for both. A call that fails must not change the bytes, and undoing a fold by hand must restore the view.
//
//   node fuzz/walk.mjs --operations 20000 [--seconds N] [--from N] [--format anthropic]   this many per format, within the time
//   node fuzz/walk.mjs --seed N --format anthropic                                        one session again, step by step

import { Session } from "contextfold";
import { FORMATS } from "../tests/support/session.mjs";
import { walkArguments } from "./arguments.mjs";
import { random } from "./random.mjs";
import { useAltered } from "./crafted.mjs";
import { entries } from "./entries.mjs";
import { done, NAMES, STEPS_OF } from "./steps.mjs";

/** The number of steps of a session. */
const STEPS = 50;

const { only, from, most, formats, milliseconds } = walkArguments();
const json = (value) => JSON.stringify(value);
const summarize = () => "<summary>They went on with the work.</summary>";

/** What a session shows. */
const shown = (session, formats) => json([formats.map((format) => session.view(format)), session.items(), session.folds(), session.tokens]);

/** Both texts, from a little before the first difference. */
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
    const shows = shown(state.session, formats); // this also counts as reading the view, which matters for reported usage
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
    if (die.chance(0.2)) [state.session, twin] = [twin, state.session]; // continue with the restored session
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
      if (error.code === "INTERNAL") process.exit(1); // the module is unusable now
    }
    if (only !== null) break;
  }
  console.log(`walk: ${operations} operations in ${format}, seeds ${from} to ${seed - 1}`);
}
process.exit(failed ? 1 : 0);
