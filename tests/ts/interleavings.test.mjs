// Everything that can happen while a summary is awaited, in every order of promises: each settles, nothing is lost, no borrow
// error, no trap, no unhandled rejection. CONTEXTFOLD_DEPTH sets how many operations a path has (1).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ContextError, Session, check } from "contextfold";
import { explore } from "../support/explorer.mjs";
import { FORMATS, assistant, call, calls, conversation, deferred, listOf, output, settled, stateOf, user, words } from "../support/session.mjs";

const DEPTH = Number(process.env.CONTEXTFOLD_DEPTH ?? 1);
const GOOD = "<summary>the gist</summary>";

/** What the callback does; `too long` is the summariser's own context overflow. */
const ANSWERS = {
  good: (ask) => ask.resolve(GOOD),
  empty: (ask) => ask.resolve(""),
  "too large": (ask) => ask.resolve(`<summary>${words(2000)}</summary>`),
  "cut off": (ask) => ask.resolve({ text: "<summary>half", finish_reason: "length" }),
  throws: (ask) => ask.reject(new Error("502 Bad Gateway")),
  "too long": (ask) => ask.reject(new Error("prompt is too long: 9000 tokens > 4000 maximum")),
  junk: (ask) => ask.resolve({ text: 7 }),
};

/** What the caller does meanwhile. */
const OPERATIONS = {
  "push user": (w) => w.push(user(`meanwhile ${w.n}`)),
  "push step": (w) => w.push([calls(`m${w.n}`), output(`m${w.n}`, `output ${w.n}`)]),
  "push batch": (w) => w.push([{ role: "assistant", content: null, tool_calls: [call(`a${w.n}`), call(`b${w.n}`)] }, output(`b${w.n}`, "half of it")]),
  "late output": (w) => w.session.messages.some((m) => m.tool_call_id === "y") || w.push(output("y", "late")),
  "put output": (w) => w.session.toolOutputs.put(words(20)),
  "append output": (w) => w.session.toolOutputs.append(w.ref, "more\n"),
  "set header": (w) => {
    w.header = `Be brief, ${w.n}.`;
    w.session.setHeader(w.header);
  },
  pin: (w) => {
    w.session.pin(w.ids[1]);
    w.pinned = true;
  },
  unpin: (w) => {
    w.session.unpin(w.ids[1]);
    w.pinned = false;
  },
  "pin a text": (w) => w.session.pin({ id: w.ids[1], text: "question 0" }),
  "set options": (w) => w.session.setOptions({ contextWindow: 50_000 + w.n, compaction: { maxAttempts: 1 } }),
  usage: (w) => w.session.recordUsage({ input_tokens: 9000, output_tokens: 9 }),
  "prepare too": (w) => w.start("prepare"),
  "compact too": (w) => w.start("compact"),
  "plan and apply too": (w) => {
    w.plan = w.session.plan();
    w.start("apply");
  },
  "recover too": (w) => w.start("recover", new Error("prompt is too long: 9000 tokens > 8000 maximum")),
  abort: (w) => w.abort.abort(new Error("enough")),
  free: (w) => w.free(),
  rewrite: (w) => {
    w.rewritten = true;
    w.list = [...w.list.slice(0, -1), user(`on second thoughts ${w.n}`)];
    w.session.sync("messages", w.list);
  },
};

class World {
  n = 0;
  freed = false;
  rewritten = false;
  pinned = false;
  header = "Be brief.";
  asks = [];
  started = [];
  abort = new AbortController();

  constructor(options) {
    this.session = new Session({
      ...options,
      summarize: () => {
        const ask = deferred();
        this.asks.push(ask);
        return ask.promise;
      },
    });
    this.list = [{ role: "system", content: this.header }, ...conversation(3, 30), user("and now?"), calls("x", "y"), output("x", "one of two")];
    this.ids = this.session.push(this.list);
    this.pushed = this.session.messages.length - 1;
    this.ref = this.session.toolOutputs.put("line\n").id;
  }

  push(messages) {
    this.pushed += this.session.push(messages).length;
    this.list = this.list.concat(messages);
  }

  start(name, ...args) {
    const goal = { name, settled: false };
    const options = this.started.length === 0 ? [{ signal: this.abort.signal }] : [];
    const on = name === "apply" ? this.plan : this.session;
    const promise = on[name](...args, ...options);
    goal.promise = promise.then((value) => Object.assign(goal, { settled: true, value }), (error) => Object.assign(goal, { settled: true, error }));
    this.started.push(goal);
    return goal;
  }

  free() {
    this.freed = true;
    this.session.free();
  }

  check() {
    if (this.freed) return;
    const { session } = this;
    const history = session.messages.filter((m) => m.role !== "system");
    if (!this.rewritten) assert.equal(history.length, this.pushed, "nothing is lost, and nothing doubled");
    const items = session.items();
    assert.equal(new Set(items.map((item) => item.id)).size, items.length);
    assert.equal(items.reduce((sum, item) => sum + item.tokens, 0), session.tokens);
    const view = session.view("messages");
    assert.equal(view.filter((m) => m.content === this.header).length, 1);
    assert.equal(view[0].content, this.header);
    if (this.pinned) assert.equal(items.filter((item) => item.id === this.ids[1]).length, 1);
    const newest = history.findLast((m) => m.role === "user");
    assert.ok(view.some((m) => m.content === newest.content), "the newest user message stands");
    for (const format of FORMATS) {
      const written = session.view(format);
      const wrong = check(format, listOf(written), { pending: true });
      assert.deepEqual(wrong.filter((v) => v.severity === "error"), [], format);
    }
  }
}

async function path(choose, isNew, { options, goal }, operations) {
  const world = new World(options);
  let planned = goal === "apply"; // a plan, which becomes stale once something else happened
  if (planned) world.plan = world.session.plan();
  else world.start(goal);
  await settled();
  assert.equal(world.asks.length, planned ? 0 : 1, "it asks");
  let [answered, bad] = [0, 0];
  while (planned || answered < world.asks.length) {
    for (const names = Object.keys(OPERATIONS); operations > 0 && !world.freed; ) {
      const chosen = choose(names.length + 1);
      if (chosen === names.length) break;
      operations--;
      world.n++;
      OPERATIONS[names[chosen]](world);
      if (operations === 0 || choose(2)) await settled(); // the next operation follows at once or one tick later
      if (isNew()) world.check();
    }
    if (planned) {
      planned = false;
      if (!world.freed) world.start(goal);
      await settled();
      continue;
    }
    const answers = Object.values(ANSWERS);
    // An aborted or freed run does not wait for its answer, which may never come.
    const over = world.freed || world.abort.signal.aborted;
    const chosen = bad > (DEPTH > 0 ? 0 : 1) ? 0 : choose(over ? answers.length + 1 : answers.length);
    const ask = world.asks[answered++];
    bad += chosen === 0 ? 0 : 1;
    if (chosen === answers.length) {
      await settled();
      continue;
    }
    const state = world.freed || !isNew() ? null : stateOf(world.session);
    const bytes = state && Buffer.from(world.session.snapshot());
    const ended = world.started.filter((g) => g.settled && !g.error).length;
    answers[chosen](ask);
    await settled();
    const failed = world.started.filter((g) => g.settled && g.error && !g.told);
    failed.forEach((g) => (g.told = true));
    // A run that succeeded meanwhile may have cut the view without a fold.
    const alone = world.started.filter((g) => g.settled && !g.error).length === ended;
    if (state && failed.length > 0 && alone && world.session.folds().length === state.folds.length) {
      const now = stateOf(world.session);
      const taught = world.started.some((g) => g.name === "recover"); // a limit learnt from a refusal stays
      if (taught) now.due = state.due;
      assert.deepEqual(now, state, "what fails changes nothing");
      if (!options.compaction?.background && !taught) assert.ok(bytes.equals(Buffer.from(world.session.snapshot())), "byte by byte");
    }
    if (isNew()) world.check();
  }
  await settled();
  for (const { name, settled: is, error } of world.started) {
    assert.ok(is, `${name} never settles`);
    if (error) assert.ok(ContextError.isInstance(error) && error.code !== "INTERNAL" && error.code !== "INVALID_ARGUMENT", `${name}: ${error.stack ?? error}`);
    if (world.freed && error) assert.match(error.code, /FREED|ABORTED|SUMMARY|STALE/);
  }
  if (world.freed) return;
  // At the end the agent can go on.
  const last = world.session.prepare().then((value) => ({ value }), (error) => ({ error }));
  for (let rounds = 0; rounds < 10; rounds++) {
    await settled();
    world.asks.slice(answered).forEach((ask) => ask.resolve(GOOD));
    answered = world.asks.length;
  }
  const { value, error } = await last;
  if (error) assert.match(error.code, /BUDGET_IMPOSSIBLE|CONTEXT_WINDOW_EXCEEDED/, error.stack);
  else assert.ok(value.report.limit === null || world.session.tokens <= value.report.limit * Math.max(1, 1 / value.report.counter.calibration));
  world.check();
  world.session.free();
}

describe("while a summary is awaited", () => {
  const unhandled = [];
  const note = (error) => unhandled.push(error);
  before(() => process.on("unhandledRejection", note));
  after(() => process.off("unhandledRejection", note));

  const worlds = {
    compact: { goal: "compact", options: { contextWindow: 100_000 } },
    prepare: { goal: "prepare", options: { contextWindow: 900, safetyMargin: 0 } },
    background: { goal: "prepare", options: { contextWindow: 1400, safetyMargin: 0, compaction: { background: { atRatio: 0.5 } } } },
    "a plan, and its doing": { goal: "apply", options: { contextWindow: 100_000 } },
    "prepare, with a stand-in": { goal: "prepare", options: { contextWindow: 900, safetyMargin: 0, compaction: { onFailure: "extractive", maxAttempts: 1 } } },
  };
  for (const [name, world] of Object.entries(worlds))
    test(`${name}: every order of operations and answers is safe`, async (t) => {
      let all = 0;
      for (let operations = 0; operations <= DEPTH; operations++) all += await explore((choose, isNew) => path(choose, isNew, world, operations));
      t.diagnostic(`${all} paths of up to ${DEPTH} operations`);
      assert.ok(all > 100);
      assert.deepEqual(unhandled, []);
    });

  test("compactions that join one under way resolve to one report, whenever they join", async () => {
    const world = new World(worlds.compact.options);
    const all = [world.start("compact"), world.start("compact")];
    await settled();
    all.push(world.start("compact"), world.start("checkAndCompact"));
    await settled();
    assert.equal(world.asks.length, 1);
    world.asks[0].resolve(GOOD);
    await Promise.all(all.map((goal) => goal.promise));
    assert.equal(world.asks.length, 1);
    for (const { value } of all) assert.deepEqual(value, all[0].value);
    world.check();
  });
});
