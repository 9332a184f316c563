// ToolOutputCache, as a model and a caller use it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, countTokens } from "contextfold";
import { assistant, call, calls, failsWith, output, user, words } from "../support/session.mjs";

const cache = (options) => new Session({ toolOutputCache: options }).toolOutputs;
const lines = (count) => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join("\n");

describe("put and append", () => {
  test("text, bytes and parts are accepted; the ref has their size", () => {
    const outputs = cache();
    assert.deepEqual(outputs.put("a\nb"), { id: outputs.refs()[0].id, byte_size: 3, line_count: 2 });
    assert.equal(outputs.put(new TextEncoder().encode("日本")).byte_size, 6);
    assert.equal(outputs.put([{ type: "text", text: "x" }]).byte_size, 1);
    assert.equal(outputs.put("").byte_size, 0);
    assert.equal(outputs.refs().length, 4);
  });

  test("texts of any length and script are stored whole", async () => {
    const outputs = cache();
    for (const length of [0, 1, 255, 256, 257, 5_000])
      for (const end of ["", "é", "日本", "😀", "\ud800", "\udc00x"])
        for (const text of ["a".repeat(length) + end, end + "a".repeat(length)]) {
          assert.equal(await outputs.get(outputs.put(text).id), text.toWellFormed?.() ?? Buffer.from(text).toString());
          assert.equal(countTokens(text, (whole) => whole.length), text.length);
        }
  });

  test("bytes that are not UTF-8 become U+FFFD; a view into a larger buffer is read correctly", async () => {
    const outputs = cache();
    const { id } = outputs.put(new Uint8Array([0x61, 0xff, 0x62]));
    assert.equal(await outputs.get(id), "a\ufffdb");
    const whole = new TextEncoder().encode("0123456789");
    assert.equal(await outputs.get(outputs.put(whole.subarray(3, 6)).id), "345");
    assert.equal(await outputs.get(outputs.put(Buffer.from("buffer")).id), "buffer");
  });

  test("a given id; putting the same content under it again is fine, other content is refused", () => {
    const outputs = cache();
    assert.equal(outputs.put("x", { id: "mine" }).id, "mine");
    assert.equal(outputs.put("x", { id: "mine" }).id, "mine");
    assert.throws(() => outputs.put("y", { id: "mine" }), failsWith("INVALID_ARGUMENT", /mine/));
    for (const id of [5, {}, true]) assert.throws(() => outputs.put("x", { id }), failsWith("INVALID_ARGUMENT", /id/));
  });

  test("content that is not text, bytes or parts is refused", () => {
    for (const bad of [undefined, null, 5, {}, [5], [{ type: "text" }], new ArrayBuffer(2), Symbol("x"), 5n])
      assert.throws(() => cache().put(bad), failsWith("INVALID_ARGUMENT"), String(bad?.constructor?.name));
  });

  test("a typed array of 16-bit elements is not accepted as bytes", () => assert.throws(() => cache().put(new Uint16Array(2)), failsWith("INVALID_ARGUMENT")));

  test("chunks may split a line without losing any of it", async () => {
    const outputs = cache();
    const { id } = outputs.put("");
    for (const chunk of ["a", "b\n", "", "c", "\n\n", "d"]) outputs.append(id, chunk);
    assert.equal(await outputs.get(id), "ab\nc\n\nd");
    assert.deepEqual(outputs.refs()[0], { id, byte_size: 7, line_count: 4 });
    assert.throws(() => outputs.append("nobody", "x"), failsWith("UNKNOWN_REF", /nobody/));
    for (const bad of [undefined, null, 5, {}, ["x"]]) assert.throws(() => outputs.append(id, bad), failsWith("INVALID_ARGUMENT", /chunk/));
  });

  test("a huge output is stored and returned unchanged, wherever its pieces end", async () => {
    const outputs = cache();
    for (const start of ["", "a", "ab", "abc"]) {
      const text = `${start}${"日👍".repeat(600_000)}\nend`;
      const bytes = new TextEncoder().encode(text);
      for (const content of [text, bytes]) {
        const { id, byte_size, line_count } = outputs.put(content);
        assert.deepEqual([byte_size, line_count], [bytes.length, 2]);
        assert.ok((await outputs.get(id)) === text);
        outputs.append(id, content);
        assert.ok((await outputs.get(id)) === text + text);
        assert.match(await outputs.read({ ref_id: id, offset: 2 }), /^ {5}3\tend$/);
        assert.match(await outputs.grep({ ref_id: id, pattern: "^end$" }), /^3:end\n\[1 of 1/);
      }
    }
  });

  test("putting the same huge content again is recognised", () => {
    const outputs = cache();
    const text = "line of a log\n".repeat(300_000);
    assert.deepEqual(outputs.put(text, { id: "log" }), outputs.put(new TextEncoder().encode(text), { id: "log" }));
    assert.throws(() => outputs.put(`${text}x`, { id: "log" }), failsWith("INVALID_ARGUMENT"));
  });

  test("chunks of bytes may split a character", async () => {
    const outputs = cache();
    const bytes = new TextEncoder().encode("日本👍");
    const { id } = outputs.put("");
    for (const byte of bytes) outputs.append(id, Uint8Array.of(byte));
    assert.equal(await outputs.get(id), "日本👍");
  });

  test("incomplete bytes at the end become U+FFFD, and each output buffers its own", async () => {
    const outputs = cache();
    const [one, two, three] = ["", "", ""].map((text) => outputs.put(text).id);
    const half = Uint8Array.of(0xe6, 0x97);
    outputs.append(one, half);
    outputs.append(two, Uint8Array.of(0xa5));
    outputs.append(one, Uint8Array.of(0xa5, 0x61));
    outputs.append(two, half);
    outputs.append(two, "text");
    outputs.append(three, Uint8Array.of(0xff, 0x62));
    assert.throws(() => outputs.append("nobody", half), failsWith("UNKNOWN_REF"));
    assert.deepEqual([await outputs.get(one), await outputs.get(two), await outputs.get(three)], ["日a", "\ufffd\ufffdtext", "\ufffdb"]);
  });
});

describe("read", () => {
  const outputs = cache();
  const { id: ref_id } = outputs.put(lines(3000));

  test("offset skips lines, limit limits their number", async () => {
    const numbers = async (args) => (await outputs.read({ ref_id, ...args })).match(/line \d+/g) ?? [];
    assert.deepEqual(await numbers({ offset: 5, limit: 2 }), ["line 6", "line 7"]);
    assert.equal((await numbers({})).length, 2000);
    assert.deepEqual(await numbers({ offset: 2999 }), ["line 3000"]);
    assert.deepEqual(await numbers({ offset: 9999 }), []);
  });

  test("the result is limited by maxMessageBytes, and says how to read on", async () => {
    const small = cache({ maxMessageBytes: 400 });
    const { id } = small.put(lines(1000));
    let offset = 0;
    for (let reads = 0; reads < 200 && offset < 1000; reads++) {
      const text = await small.read({ ref_id: id, offset });
      assert.ok(Buffer.byteLength(text) <= 400);
      const last = Number(text.match(/line (\d+)/g).at(-1).slice(5));
      assert.ok(last > offset, "each read gets on");
      offset = last;
    }
    assert.equal(offset, 1000);
  });

  for (const [what, args] of Object.entries({
    "nothing": undefined,
    "no ref": {},
    "a ref that is no text": { ref_id: 5 },
    "a negative offset": { ref_id, offset: -1 },
    "a fraction": { ref_id, offset: 1.5 },
    "a limit of nothing": { ref_id, limit: 0 },
    "a text as limit": { ref_id, limit: "two" },
    "an unknown key": { ref_id, lines: 5 },
    "a list": [ref_id],
  }))
    test(`refuses ${what}`, () => assert.rejects(outputs.read(args), failsWith("INVALID_ARGUMENT")));

  test("an unknown ref gives an error that names the nearest known one", () => assert.rejects(outputs.read({ ref_id: `${ref_id}x` }), failsWith("UNKNOWN_REF", new RegExp(ref_id))));
});

describe("grep", () => {
  const outputs = cache();
  const text = ["alpha", "Beta", "gamma beta", "", "delta", "日本 beta", "omega"].join("\n");
  const { id: ref_id } = outputs.put(text);
  const grep = (pattern, more) => outputs.grep({ ref_id, pattern, ...more });

  test("finds lines with their numbers, case-insensitively on request, with context", async () => {
    assert.match(await grep("beta"), /3\D+gamma beta[^]*6\D+日本 beta/);
    assert.ok(!(await grep("beta")).includes("Beta"));
    assert.match(await grep("beta", { ignore_case: true }), /2\D+Beta/);
    const around = await grep("delta", { context: 1 });
    assert.ok(around.includes("日本") && !around.includes("gamma"));
    assert.match(await grep("^日本"), /6\D+日本 beta/);
    assert.match(await grep("never there"), /none of 7 lines/);
  });

  test("max_matches limits the result, which says so", async () => {
    const many = cache();
    const { id } = many.put(lines(500));
    const found = (t) => t.split("\n").filter((l) => /line \d+$/.test(l)).length;
    assert.equal(found(await many.grep({ ref_id: id, pattern: "line" })), 100);
    assert.equal(found(await many.grep({ ref_id: id, pattern: "line", max_matches: 3 })), 3);
  });

  for (const [what, args] of Object.entries({
    "a pattern that does not parse": { ref_id, pattern: "(" },
    "look-around": { ref_id, pattern: "(?=x)" },
    "no pattern": { ref_id },
    "a RegExp": { ref_id, pattern: /x/ },
    "a negative context": { ref_id, pattern: "x", context: -1 },
    "no matches at most": { ref_id, pattern: "x", max_matches: 0 },
    "ignore_case as text": { ref_id, pattern: "x", ignore_case: "yes" },
    "an unknown key": { ref_id, pattern: "x", ignoreCase: true },
  }))
    test(`refuses ${what}`, () => assert.rejects(outputs.grep(args), failsWith("INVALID_ARGUMENT")));

  test("a catastrophic pattern runs in linear time", async () => {
    const evil = cache();
    const { id } = evil.put(`${"a".repeat(50_000)}!`);
    assert.ok(await evil.grep({ ref_id: id, pattern: "^(a+)+$" }));
  });
});

describe("in a session", () => {
  test("answers of the cache's own tools are limited in size and never cached again", () => {
    const session = new Session();
    session.push([user("go"), calls("a"), output("a", words(200))]);
    const known = session.toolOutputs.refs().length;
    session.push([{ role: "assistant", tool_calls: [call("r", "tool_output_cache", '{"ref_id":"out_1"}'), call("g", "tool_output_cache_grep", "{}")] }, output("r", words(200)), output("g", words(200))]);
    assert.equal(session.toolOutputs.refs().length, known);
    assert.ok(!("output_ref" in session.view("messages").at(-1)));
  });

  test("content parts: text is cut, others stay whole", () => {
    const image = { type: "image", url: "https://host.invalid/a.png" };
    const session = new Session({ toolOutputCache: { maxMessageBytes: 500 } });
    session.push([calls("a"), output("a", [{ type: "text", text: lines(500) }, image])]);
    const { content } = session.view("messages").at(-1);
    assert.deepEqual(content.filter((p) => p.type === "image"), [image]);
    assert.ok(Buffer.byteLength(content.filter((p) => p.type === "text").map((p) => p.text).join("")) <= 500);
  });

  test("a caller's output_ref is kept if it opens more of the same output", () => {
    const session = new Session();
    const { id } = session.toolOutputs.put("stored elsewhere already", { id: "mine" });
    session.push([calls("a"), output("a", "elsewhere", { output_ref: { id } })]);
    assert.equal(session.view("messages").at(-1).output_ref.id, "mine");
    assert.equal(session.toolOutputs.refs().length, 1);
  });

  test("an output_ref of another call's output opens that one: the second output gets its own, even if its text is part of the first", async () => {
    let session = new Session();
    session.push([calls("a"), output("a", "x".repeat(9), { output_ref: { id: "mine" } })]);
    session = Session.restore(session.snapshot());
    session.push([calls("b"), output("b", "x".repeat(5), { output_ref: { id: "mine" } })]);
    const refs = session.messages.flatMap((m) => m.output_ref?.id ?? []);
    assert.equal(refs[0], "mine");
    assert.notEqual(refs[1], "mine");
    assert.deepEqual([await session.toolOutputs.get("mine"), await session.toolOutputs.get(refs[1])], ["x".repeat(9), "x".repeat(5)]);
  });

  test("garbage collection keeps refs mentioned in the history, folds or texts", () => {
    const session = new Session();
    const loose = session.toolOutputs.put("loose");
    const named = session.toolOutputs.put("named");
    session.push([user(`see ${named.id} for more`), calls("a"), output("a", "carried"), assistant("ok")]);
    assert.deepEqual(session.toolOutputs.collectGarbage({ dryRun: true }), [loose]);
  });

  test("each session has its own toolOutputs", async () => {
    const [a, b] = [new Session(), new Session()];
    const { id } = a.toolOutputs.put("a's");
    b.toolOutputs.put("b's");
    assert.equal(await a.toolOutputs.get(id), "a's");
    assert.equal(await b.toolOutputs.get(id), "b's");
  });

  test("pinned outputs are never trimmed", () => {
    const session = new Session({ toolOutputCache: { contextBudgetTokens: 500 } });
    session.push([user("go"), calls("a"), output("a", words(100), { pinned: true }), calls("b"), output("b", words(100)), calls("c"), output("c", words(100))]);
    const shown = session.view("messages").filter((m) => m.role === "tool").map((m) => /trimmed/.test(m.content));
    assert.deepEqual(shown, [false, true, false]);
  });
});
