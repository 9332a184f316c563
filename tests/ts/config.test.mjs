// Every option with a wrong type, out of range, and misspelt: INVALID_CONFIG that names it (COMP-1).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, compactMessages, extractiveSummarize, shouldCompact } from "contextfold";
import { failsWith, user } from "../support/session.mjs";

const flag = { good: [true, false], bad: [0, 1, "true", "", null, [], {}, NaN] };
const text = { good: ["text"], bad: ["", 0, true, null, [], {}] };
const textOrNull = { good: ["text", null], bad: ["", 0, true, [], {}] };
const texts = { good: [[], ["a", ""]], bad: ["a", 0, true, null, {}, [1], [null], [["a"]]] };
const whole = (least, ...more) => ({ good: [least, 1000, 2 ** 53 - 1], bad: [least - 1, -1, 1000.5, NaN, Infinity, -Infinity, 2 ** 53, 1e300, "5", "", true, null, [], [5], {}, ...more] });
const orNull = ({ good, bad }) => ({ good: [...good, null], bad: bad.filter((value) => value !== null) });
const ratio = (good, bad) => ({ good, bad: [...bad, NaN, Infinity, "0.5", true, null, [], {}] });
const word = (...good) => ({ good, bad: [...good.map((w) => w.toUpperCase()), "", "none", 0, true, null, [], [good[0]], {}] });

/** Each option: accepted values, refused values. */
const OPTIONS = {
  model: { ...text, good: ["gpt-4o"] },
  contextWindow: orNull(whole(1)),
  reservedOutputTokens: whole(0),
  "promptCache.lifeMs": { good: [0, 300_000], bad: [-1, 0.5, "5", true, [], {}] },
  maxNodes: { good: [1, 2_000_000, 2 ** 31 - 1], bad: [0, -1, 1.5, 2 ** 31, "x", true, null, [], {}] },
  safetyMargin: ratio([0, 0.1, 0.999], [1, 1.5, -0.1]),
  models: { good: [{}, { m: { max_input_tokens: 5 } }], bad: [0, 5, "x", true, null, []] },
  tokenizer: { good: ["estimate", "bytes/4", () => 1], bad: ["", "o200k", "Estimate", 0, 4, true, [], {}] },
  // An empty list is a valid ladder: only the last resort, which shortens what is too long (COMP-19).
  ladder: { good: ["contextfold", "spec", "rolling", "steps-design", "steps-execution", "selective", [], [{ pass: "ephemeral" }]], bad: ["CONTEXTFOLD", "", "none", 0, true, null, {}, ["contextfold"], [{}], [{ pass: "none" }]] },
  summarize: { good: [() => "", async () => "", extractiveSummarize()], bad: ["", "x", 0, 1, true, [], {}, { then() {} }] },
  compaction: { good: [{}], bad: ["", 0, true, null, [], () => {}] },
  toolOutputCache: { good: [{}], bad: ["", 0, true, null, []] },
  "compaction.enabled": flag,
  "compaction.auto": flag,
  "compaction.thresholdRatio": ratio([0.01, 0.8, 1], [0, -0.5, 1.01, 80]),
  "compaction.model": textOrNull,
  "compaction.summaryPrompt": text,
  "compaction.summaryDirectives": texts,
  "compaction.retainPrompt": textOrNull,
  "compaction.retainDirectives": texts,
  "compaction.retainLastTurns": whole(0),
  "compaction.style": word("messages", "transcript"),
  "compaction.summarizerWindow": whole(1),
  "compaction.maxAttempts": { good: [1, 100], bad: [0, 101, -1, 1.5, "2", null, NaN] },
  "compaction.onFailure": word("error", "extractive"),
  "compaction.lowRatio": ratio([0.01, 0.5, 0.79], [0, -1, 0.8, 1, 1.1]),
  "toolOutputCache.enabled": flag,
  "toolOutputCache.contextBudgetTokens": { good: [0, 5, null], bad: [-1, 0.5, false, "5", [], {}] },
  "toolOutputCache.maxMessageBytes": whole(64),
  "toolOutputCache.maxLineLength": whole(1),
  "toolOutputCache.searchMs": whole(1),
};

const MISSPELT = {
};

/** `{ a: { b: value } }` for `a.b`. */
const at = (path, value) => path.split(".").reduceRight((inner, key) => ({ [key]: inner }), value);
const shown = (value) => (typeof value === "function" ? "()=>{}" : typeof value === "number" ? String(value) : JSON.stringify(value));
const named = (path) => new RegExp(`\`${path.replace(".", "\\.")}(\\[0\\](\\.pass)?)?\``);

for (const [path, { good, bad }] of Object.entries(OPTIONS))
  describe(path, () => {
    for (const value of good) test(`takes ${shown(value)}`, () => void new Session(at(path, value)));
    for (const value of bad)
      test(`refuses ${shown(value)} and is named in the error`, () => {
        assert.throws(() => new Session(at(path, value)), failsWith("INVALID_CONFIG", named(path)));
      });
    test("undefined is the same as left out", () => void new Session(at(path, undefined)));
    const wrong = `${path}${path.at(-1)}`;
    test(`"${wrong}" is refused with a suggestion`, { todo: MISSPELT[path] }, () => {
      const meant = new RegExp(`did you mean \`${path.split(".").at(-1)}\``);
      assert.throws(() => new Session(at(wrong, good[0])), (e) => failsWith("INVALID_CONFIG", named(wrong))(e) && failsWith("INVALID_CONFIG", meant)(e));
    });
  });

describe("unknown keys", () => {
  for (const path of ["nothing", "compaction.nothing", "toolOutputCache.nothing", "__proto__x", "constructor", "compaction.constructor", ""])
    test(`"${path}" is refused by name`, () => {
      assert.throws(() => new Session(at(path, 1)), failsWith("INVALID_CONFIG", named(path)));
    });
  for (const path of ["sumarize", "compaction.redactt"])
    test(`"${path}" is refused if its value is a function`, () => {
      assert.throws(() => new Session(at(path, () => "")), failsWith("INVALID_CONFIG", named(path)));
    });
  test("inherited and non-enumerable keys are not options", () => {
    class Options {
      #hidden = 1;
      get computed() { return this.#hidden; }
    }
    void new Session(new Options()); // a class getter is not an own key
    void new Session(Object.create({ inherited: 1 }));
  });
});

describe("the options object as a whole", () => {
  for (const options of [undefined, {}, Object.freeze({}), Object.create(null)]) test(`takes ${shown(options)}`, () => void new Session(options));
  for (const options of [null, 5, "x", true, Symbol("x"), () => {}]) test(`refuses ${String(options)}`, () => assert.throws(() => new Session(options), failsWith("INVALID_CONFIG", /expected an object/)));
  for (const options of [[], new Map([["model", "x"]])])
    test(`refuses ${options.constructor.name}`, () => assert.throws(() => new Session(options), failsWith("INVALID_CONFIG")));
  for (const key of ["summarize", "tokenizer"])
    test(`refuses null as ${key}`, () => assert.throws(() => new Session({ [key]: null }), failsWith("INVALID_CONFIG", named(key))));

  test("numbers that JSON does not have are shown as numbers", () => {
    for (const contextWindow of [NaN, Infinity, -Infinity]) assert.throws(() => new Session({ contextWindow }), failsWith("INVALID_CONFIG", new RegExp(`got ${contextWindow}$`)));
  });
  test("a value that is not JSON is refused by its key", () => {
    assert.throws(() => new Session({ contextWindow: 10n }), failsWith("INVALID_CONFIG", /contextWindow/));
  });
  test("a value that is not JSON is refused", () => {
    assert.throws(() => new Session({ contextWindow: 10n }), failsWith("INVALID_CONFIG"));
    const models = {};
    models.self = models;
    assert.throws(() => new Session({ models }), failsWith("INVALID_CONFIG"));
  });
  test("a getter that throws is a typed error with its cause", () => {
    const cause = new Error("mine");
    const options = { get contextWindow() { throw cause; } };
    assert.throws(() => new Session(options), (e) => failsWith("INVALID_CONFIG")(e) && e.cause === cause);
  });
  test("options are read once: changing the caller's object later has no effect", () => {
    const options = { contextWindow: 1000, compaction: { thresholdRatio: 0.5 } };
    const session = new Session(options);
    options.contextWindow = 5;
    options.compaction.thresholdRatio = 1;
    assert.deepEqual([session.window, session.threshold], [1000, 500]);
  });
  test("options come back unchanged, functions included", () => {
    const options = Object.freeze({ contextWindow: 1000, summarize: () => "", tokenizer: () => 1 });
    void new Session(options);
    assert.deepEqual(Object.keys(options), ["contextWindow", "summarize", "tokenizer"]);
  });
});

describe("the same strictness elsewhere", () => {
  test("shouldCompact names the bad key", () => {
    const usage = { input_tokens: 1, output_tokens: 1 };
    for (const config of [{ thresholdRatio: 2 }, { enabled: 1 }, { nothing: 1 }])
      assert.throws(() => shouldCompact(usage, 10, config), failsWith("INVALID_CONFIG", new RegExp(`compaction\\.${Object.keys(config)[0]}`)));
    for (const limit of [NaN, -1, Infinity]) assert.throws(() => shouldCompact(usage, limit), failsWith("INVALID_ARGUMENT", /limit/));
    for (const wrong of [null, [], 5]) assert.throws(() => shouldCompact(usage, 10, wrong), failsWith("INVALID_CONFIG"), String(wrong));
  });

  for (const limit of ["10", null, undefined, {}])
    test(`shouldCompact refuses ${shown(limit) ?? "undefined"} as a limit`, () =>
      assert.throws(() => shouldCompact({ input_tokens: 1, output_tokens: 1 }, limit), failsWith("INVALID_ARGUMENT", /limit/)));

  test("compactMessages", async () => {
    const attempt = async (options) => compactMessages([user("x")], options);
    await assert.rejects(attempt({ contextWindow: 0 }), failsWith("INVALID_CONFIG", /contextWindow/));
    await assert.rejects(attempt({ nothing: 0 }), failsWith("INVALID_CONFIG", /nothing/));
    await assert.rejects(attempt({ signal: AbortSignal.abort() }), failsWith("ABORTED"));
    assert.equal((await attempt()).messages.length, 1);
  });

  test("extractiveSummarize", () => {
    for (const options of [{ maxTokens: 0 }, { maxTokens: "5" }, { maxtokens: 5 }, null, [], 5])
      assert.throws(() => extractiveSummarize(options), failsWith("INVALID_ARGUMENT"), shown(options));
    assert.equal(typeof extractiveSummarize({ maxTokens: 5 }), "function");
  });

  for (const [what, act] of Object.entries({
    "compact({ instrctions })": (s) => s.compact({ instrctions: "x" }),
    "compact(5)": (s) => s.compact(5),
    "prepare({ sginal })": (s) => s.prepare({ sginal: null }),
    "collectGarbage({ dryrun })": (s) => s.toolOutputs.collectGarbage({ dryrun: true }),
    "collectGarbage({ dryRun: 'no' })": (s) => s.toolOutputs.collectGarbage({ dryRun: "no" }),
    "put(x, { ID })": (s) => s.toolOutputs.put("x", { ID: "a" }),
  }))
    test(`${what} is refused`, async () => {
      await assert.rejects(async () => act(new Session()), failsWith("INVALID_ARGUMENT"));
    });

  test("compact({ instructions: 5 }) is refused", async () => {
    await assert.rejects(async () => new Session().compact({ instructions: 5 }), failsWith("INVALID_ARGUMENT", /instructions/));
  });
});
