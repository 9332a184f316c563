// Exact encodings, as users load them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { test } from "node:test";
import { ContextError, Session, countTokens, encodingForModel, loadEncoding } from "contextfold";

const asset = (name) => readFileSync(new URL(`../../pkg/encodings/${name}.bin`, import.meta.url));
const encoding = await loadEncoding("o200k_base");

/** The code that a call fails with. */
async function codeOf(call) {
  try {
    await call();
  } catch (error) {
    assert.ok(ContextError.isInstance(error), String(error));
    return error.code;
  }
  return "no error";
}

test("tokens are those of tiktoken", () => {
  assert.deepEqual([...encoding.encode("hello world")], [24912, 2375]);
  assert.equal(encoding.count("<|endoftext|>"), 7);
  assert.equal(encoding.count(""), 0);
  assert.equal(encoding.decode(encoding.encode("naïve 世界 👩‍👩‍👧 \n\t x")), "naïve 世界 👩‍👩‍👧 \n\t x");
  assert.equal(encoding.name, "o200k_base");
});

test("a lone surrogate counts as the replacement character", () => {
  assert.deepEqual(encoding.encode("a\ud800b"), encoding.encode("a\ufffdb"));
  assert.equal(encoding.decode(encoding.encode("\udc00".repeat(50))), "\ufffd".repeat(50));
});

test("texts of every length are encoded correctly", () => {
  for (const unit of ["a b", "é", "中"])
    for (const length of [1, 13, 14, 39, 40, 41, 21_845, 65_536, 1_500_000]) {
      const text = unit.repeat(Math.ceil(length / unit.length));
      const tokens = encoding.encode(text);
      assert.equal(encoding.count(text), tokens.length);
      assert.equal(encoding.decode(tokens), text);
    }
});

test("countUpTo returns null if the limit is exceeded", () => {
  const text = "one two three four five";
  assert.equal(encoding.countUpTo(text, 5), 5);
  assert.equal(encoding.countUpTo(text, 4), null);
  assert.equal(encoding.countUpTo(text, Infinity), 5);
  assert.equal(encoding.countUpTo("", 0), 0);
});

test("a wrong asset is refused, and loading still works afterwards", async () => {
  const bytes = asset("o200k_base");
  const damaged = Uint8Array.from(bytes);
  damaged[70_000] ^= 4;
  const newer = Uint8Array.from(bytes);
  newer[4] += 1;
  const session = new Session({ tokenizer: encoding });
  session.push({ role: "user", content: "hello" });
  const { tokens } = session;
  for (const source of [damaged, newer, bytes.subarray(0, bytes.length - 1), asset("cl100k_base"), new ArrayBuffer(0), new URL("nowhere.bin", import.meta.url)])
    assert.equal(await codeOf(() => loadEncoding("p50k_edit", source)), "ENCODING_INVALID");
  assert.equal(await codeOf(() => loadEncoding("o300k_base")), "INVALID_ARGUMENT");
  assert.equal(await codeOf(() => loadEncoding("p50k_edit", 7)), "INVALID_ARGUMENT");
  assert.equal(await codeOf(() => encoding.count(7)), "INVALID_ARGUMENT");
  assert.equal(await codeOf(() => encoding.countUpTo("a", NaN)), "INVALID_ARGUMENT");
  assert.equal(await codeOf(() => encoding.decode(Uint32Array.of(300_000))), "INVALID_ARGUMENT");
  assert.equal(encoding.count("hello world"), 2);
  session.push({ role: "assistant", content: "hello world" });
  assert.equal(session.tokens, tokens + 4 + 2);
});

test("encodings load from imports, bytes and URLs, and a failed attempt may be repeated", async () => {
  const bytes = (await import("contextfold/encodings/cl100k_base")).default;
  assert.deepEqual(createRequire(import.meta.url)("contextfold/encodings/cl100k_base"), bytes);
  assert.equal(await codeOf(() => loadEncoding("cl100k_base", bytes.slice(0, 1000))), "ENCODING_INVALID");
  assert.equal((await loadEncoding("cl100k_base", bytes)).count("hello world"), 2);

  const server = createServer((request, response) => {
    const found = request.url === "/p50k.bin";
    response.writeHead(found ? 200 : 404).end(found ? asset("p50k_base") : "not found");
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const base = `http://127.0.0.1:${server.address().port}`;
  assert.equal(await codeOf(() => loadEncoding("gpt2", `${base}/other.bin`)), "ENCODING_INVALID");
  assert.equal((await loadEncoding("gpt2", new URL(`${base}/p50k.bin`))).count("hello world"), 2);
  await new Promise((closed) => server.close(closed));
});

test("a name that is no text is refused, also with the bytes of an asset", async () => {
  for (const name of [5, {}, [], null, undefined, true, Symbol("o200k_base")]) {
    assert.equal(await codeOf(() => loadEncoding(name)), "INVALID_ARGUMENT");
    assert.equal(await codeOf(() => loadEncoding(name, asset("o200k_base"))), "INVALID_ARGUMENT");
  }
  assert.equal(encoding.count("hello world"), 2);
});

test("of two simultaneous loads, one with good bytes succeeds even if the other's are damaged", async () => {
  const good = new Uint8Array(asset("cl100k_base"));
  const [bad, loaded] = await Promise.allSettled([loadEncoding("cl100k_base", good.slice(1)), loadEncoding("cl100k_base", good)]);
  assert.equal(loaded.status, "fulfilled");
  assert.ok(bad.status === "fulfilled" || bad.reason.code === "ENCODING_INVALID");
});

test("decode refuses anything but a list of tokens", async () => {
  for (const tokens of [null, "x", [1.5], [-1], ["1"], { length: 1 }, 7])
    assert.equal(await codeOf(() => encoding.decode(tokens)), "INVALID_ARGUMENT", JSON.stringify(tokens));
});

test("loading twice gives the same object", async () => {
  assert.equal(await loadEncoding("o200k_base"), encoding);
  assert.equal(await loadEncoding("o200k_base", new Uint8Array(3)), encoding);
  assert.equal((await loadEncoding("o200k_harmony", new Uint8Array(3))).count("hello world"), 2); // the same asset
  const [a, b] = await Promise.all([loadEncoding("p50k_edit"), loadEncoding("p50k_edit")]);
  assert.equal(a, b);
});

test("a model's encoding is the same as tiktoken's", async () => {
  assert.equal(encodingForModel("gpt-5-mini"), "o200k_base");
  assert.equal(encodingForModel("ft:gpt-3.5-turbo:org::id"), "cl100k_base");
  assert.equal(encodingForModel("gpt-oss-20b"), "o200k_harmony");
  for (const model of ["claude-sonnet-4-5", "gemini-2.5-pro", "nonesuch"])
    assert.equal(await codeOf(() => encodingForModel(model)), "UNKNOWN_MODEL");
});

test("countTokens and sessions count with an encoding", () => {
  const messages = [{ role: "user", content: "hello world" }];
  assert.equal(countTokens("hello world", encoding), 2);
  assert.equal(countTokens(messages, encoding), 6);
  const session = new Session({ tokenizer: encoding, contextWindow: 1000 });
  session.push(messages);
  assert.equal(session.tokens, 6);
  session.free();
});
