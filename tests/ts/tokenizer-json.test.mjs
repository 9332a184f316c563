// `loadTokenizer` on small files written here. Real ones are compared with Hugging Face's in tests/tokenizers.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ContextError, Session, countTokens, loadTokenizer, packTokenizer } from "contextfold";

const QWEN = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/** The alphabet in which bytes are spelled. */
function alphabet() {
  const shown = (byte) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(shown(byte) ? byte : next++));
}

/** A byte-level file with a few merges, one special added token and one that is not special. */
function file(changes = {}) {
  const merges = [["h", "e"], ["l", "l"], ["he", "ll"], ["hell", "o"], ["Ġ", "hello"]];
  const tokens = [...alphabet(), ...merges.map((pair) => pair.join(""))];
  return {
    added_tokens: [
      { id: 300, content: "<|end|>", special: true, normalized: false, single_word: false, lstrip: false, rstrip: false },
      { id: 301, content: "[tool]", special: false, normalized: false, single_word: false, lstrip: false, rstrip: true },
    ],
    normalizer: { type: "NFC" },
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Split", pattern: { Regex: QWEN }, behavior: "Isolated", invert: false },
        { type: "ByteLevel", add_prefix_space: false, use_regex: false },
      ],
    },
    decoder: { type: "ByteLevel" },
    model: { type: "BPE", vocab: Object.fromEntries(tokens.map((token, id) => [token, id])), merges, ...changes.model },
    ...changes.file,
  };
}

const codeOf = async (run) => {
  try {
    await run();
  } catch (error) {
    assert.ok(ContextError.isInstance(error), String(error));
    return error.code;
  }
  assert.fail("nothing was thrown");
};

test("a file may be an object, a text, bytes, a URL, a folder's files, or packed", async () => {
  const text = JSON.stringify(file());
  const bytes = new TextEncoder().encode(text);
  const url = `data:application/json;base64,${Buffer.from(text).toString("base64")}`;
  const packed = await packTokenizer(text);
  for (const source of [file(), text, bytes, bytes.buffer, url, { "tokenizer.json": file() }, packed]) {
    const tokenizer = await loadTokenizer(source, { name: "small" });
    assert.equal(tokenizer.name, "small");
    assert.deepEqual([...tokenizer.encode("hello hello")], [259, 260]);
    assert.equal(tokenizer.count("hello hello"), 2);
    assert.equal(tokenizer.countUpTo("hello hello", 2), 2);
    assert.equal(tokenizer.countUpTo("hello hello", 1), null);
    assert.equal(tokenizer.decode([259, 260, 301]), "hello hello[tool]");
    assert.equal(tokenizer.count("e\u0301"), 2); // one character in NFC
  }
});

test("a known pattern splits the text also if merges are applied in written order", async () => {
  // A merge that appears twice, so the engine does not count by merges.
  const merges = [["e", "Ġ"], ["h", "e"], ["h", "e"]];
  const vocab = Object.fromEntries([...alphabet(), "eĠ", "he"].map((token, id) => [token, id]));
  const twice = file({ model: { vocab, merges } });
  for (const tokenizer of [await loadTokenizer(twice), await loadTokenizer(await packTokenizer(twice))]) {
    assert.deepEqual([...tokenizer.encode("he he")], [257, vocab["Ġ"], 257]);
    assert.equal(tokenizer.count("he he ".repeat(1000)), 4000);
    assert.deepEqual([...tokenizer.encode("he he")], [257, vocab["Ġ"], 257]);
  }
});

test("special tokens count as text or as themselves; other added tokens are always found", async () => {
  const asText = await loadTokenizer(file());
  const asToken = await loadTokenizer(file(), { special: "token" });
  assert.equal(asText.count("<|end|>"), 7);
  assert.deepEqual([...asToken.encode("hello<|end|>")], [259, 300]);
  for (const tokenizer of [asText, asToken]) assert.deepEqual([...tokenizer.encode("hello[tool]   hello")], [259, 301, 259]);
});

test("a session counts with it, and its report says so", async () => {
  const tokenizer = await loadTokenizer(file(), { name: "small" });
  const session = new Session({ contextWindow: 1000, tokenizer });
  session.push({ role: "user", content: "hello hello" });
  assert.equal(session.tokens, 2 + countTokens("", tokenizer) + 4);
  const { report } = await session.prepare();
  assert.equal(report.counter.method, "small");
  assert.equal(report.counter.exact, false);
  assert.equal(countTokens("hello hello", tokenizer), 2);
  const restored = Session.restore(session.snapshot(), { tokenizer });
  assert.equal(restored.tokens, session.tokens);
  assert.throws(() => Session.restore(session.snapshot()), /small/);
});

test("the chat template's overhead is known for the family, or measured, or packed", async () => {
  const added = (content, id) => ({ id, content, special: true, normalized: false, single_word: false, lstrip: false, rstrip: false });
  const chat = file({ file: { added_tokens: [added("<|im_start|>", 300), added("<|im_end|>", 301)] } });
  const known = await loadTokenizer(chat, { name: "small" });
  assert.match(known.template.source, /Qwen 3/);
  assert.equal((await loadTokenizer(chat, { template: false })).template, undefined);
  assert.equal((await loadTokenizer(file())).template, undefined);

  const session = new Session({ contextWindow: 1000, tokenizer: known });
  session.push({ role: "user", content: "hello hello" });
  assert.equal(session.tokens, 2 + known.template.user);
  const { counter } = (await session.prepare()).report;
  assert.deepEqual([counter.exact, counter.margin], [true, 0]);
  assert.ok(counter.rules.some(({ name, source }) => name === "message:template" && source === known.template.source));
  assert.equal(Session.restore(session.snapshot(), { tokenizer: known }).tokens, session.tokens);

  // A library that renders: one token before and one after each message.
  const jinja = { Template: class { render = ({ messages }) => messages.map(({ content }) => `<|im_start|>${content}<|im_end|>`).join(""); } };
  const measured = await loadTokenizer(chat, { template: { chat_template: "any" }, jinja });
  const { source, user, assistant } = measured.template;
  assert.deepEqual([source, user, assistant], ["the model's chat template", 2, 2]);
  assert.equal(measured.count("<|im_end|>"), 10); // text, as before
  const packed = await loadTokenizer(await packTokenizer(chat, { template: "{{ any }}", jinja }));
  assert.deepEqual(packed.template, measured.template);
  const bytes = new TextEncoder().encode(JSON.stringify({ chat_template: "any" }));
  assert.deepEqual((await loadTokenizer(chat, { template: bytes, jinja })).template, measured.template);

  // A path is a template that renders itself.
  const constant = { Template: class { render = () => "models/tokenizer_config.json"; } };
  await assert.rejects(loadTokenizer(chat, { template: "models/tokenizer_config.json", jinja: constant }), { code: "INVALID_ARGUMENT", message: /paths and URLs are not supported/ });

  for (const options of [{ template: "any" }, { template: "any", jinja: {} }, { template: {}, jinja }, { template: "{", jinja }]) assert.equal(await codeOf(() => loadTokenizer(chat, options)), "INVALID_ARGUMENT");
  const broken = { Template: class { constructor() { throw new Error("no end"); } } };
  assert.equal(await codeOf(() => loadTokenizer(chat, { template: "{% for %}", jinja: broken })), "ENCODING_INVALID");
});

test("an unknown part is refused by name", async () => {
  const refused = async (changes, name) => {
    await assert.rejects(loadTokenizer(file(changes)), (error) => error.code === "ENCODING_UNSUPPORTED" && error.message.includes(name));
  };
  await refused({ model: { type: "Unigram", vocab: [["a", 0]] } }, "unk_id");
  await refused({ model: { type: "Unigram", unk_id: 0, vocab: [["a".repeat(600), 0]] } }, "600 bytes");
  await refused({ model: { type: "WordLevel" } }, "WordLevel");
  await refused({ model: { type: "WordPiece", unk_token: "a", max_input_chars_per_word: 1e9 } }, "characters");
  await refused({ model: { dropout: 0.1 } }, "dropout");
  await refused({ file: { pre_tokenizer: { type: "UnicodeScripts" } } }, "UnicodeScripts");
  await refused({ file: { decoder: { type: "CTC" } } }, "CTC");
  const split = (Regex) => ({ file: { pre_tokenizer: { type: "Split", pattern: { Regex }, behavior: "Isolated", invert: false } } });
  for (const pattern of ["(?<=a)b", "(a)\\1", "a++", "(?>a+)b", "a*", "(?i:straße)", "^a", "a(?!b)"]) await refused(split(pattern), "pattern");
  await refused(split("(((a{1000}){1000}){1000})"), "pattern");
  await refused(split("\\w*"), `the pattern "\\\\w*": `); // as the file has it
});

test("a broken file is refused without a trap", async () => {
  const broken = [
    "{",
    "{}",
    JSON.stringify(file()).slice(0, -50),
    JSON.stringify(file({ model: { merges: [["h", "zz"]] } })),
    JSON.stringify(file({ model: { merges: [["h", "h"]] } })),
    JSON.stringify(file({ model: { merges: ["a b c"] } })),
    JSON.stringify(file({ model: { vocab: { a: -1 } } })),
    JSON.stringify(file({ model: { vocab: { a: 4_000_000_000 } } })),
    JSON.stringify(file({ model: { type: "Unigram", unk_id: 1, vocab: [["a", 0]] } })),
    JSON.stringify(file({ model: { type: "Unigram", unk_id: 0, vocab: [] } })),
    JSON.stringify(file({ model: { type: "Unigram", unk_id: 0, vocab: [["a", NaN]] } })),
    JSON.stringify(file({ model: { type: "Unigram", unk_id: 0, vocab: [["a", 0, 0]] } })),
    JSON.stringify(file({ model: { type: "Unigram", unk_id: 0, vocab: { a: 0 } } })),
    ...["", "AAAA", "/////w==", "!", 7].map((map) => JSON.stringify(file({ file: { normalizer: { type: "Precompiled", precompiled_charsmap: map } } }))),
    "[".repeat(100_000),
    `{"model":${"[".repeat(5000)}`,
  ];
  for (const text of broken) assert.equal(await codeOf(() => loadTokenizer(new TextEncoder().encode(text))), "ENCODING_INVALID", text.slice(0, 80));
  const packed = await packTokenizer(file());
  for (let at = 0; at < packed.length; at += 97) {
    const damaged = packed.slice();
    damaged[at] ^= 1;
    assert.equal(await codeOf(() => loadTokenizer(damaged)), "ENCODING_INVALID", `byte ${at}`);
    assert.equal(await codeOf(() => loadTokenizer(packed.slice(0, at))), "ENCODING_INVALID", `cut off at ${at}`);
  }
  for (const source of [undefined, null, 7, () => {}]) assert.equal(await codeOf(() => loadTokenizer(source)), "INVALID_ARGUMENT");
  assert.equal(await codeOf(() => loadTokenizer(file(), { special: "none" })), "INVALID_ARGUMENT");
  await assert.rejects(loadTokenizer(file(), { nam: "small" }), { code: "INVALID_ARGUMENT", message: "`nam`: unknown key; did you mean `name`?" });
  await assert.rejects(packTokenizer(file(), { name: "small" }), { code: "INVALID_ARGUMENT", message: /^`name`: unknown key; known keys are `template`, `jinja`, `module`/ });
  for (const options of [null, 5]) assert.equal(await codeOf(() => packTokenizer(file(), options)), "INVALID_ARGUMENT");
  assert.equal(await codeOf(() => loadTokenizer("/nowhere/tokenizer.json")), "ENCODING_INVALID");
  const tokenizer = await loadTokenizer(file());
  assert.equal(await codeOf(() => tokenizer.decode([299])), "INVALID_ARGUMENT");
  assert.equal(await codeOf(() => tokenizer.count(7)), "INVALID_ARGUMENT");
});

test("a Unigram model chooses the tokens with the highest total score", async () => {
  const vocab = [["<unk>", 0], ["a", -1], ["b", -1], ["ab", -1.5], ["abb", -3], ["▁", -2]];
  const unigram = (changes = {}) => ({ normalizer: null, pre_tokenizer: null, decoder: null, added_tokens: [], model: { type: "Unigram", unk_id: 0, vocab }, ...changes });
  const tokenizer = await loadTokenizer(await packTokenizer(unigram()));
  assert.deepEqual([...tokenizer.encode("abb")], [3, 2]);
  assert.deepEqual([...tokenizer.encode("axyzb")], [1, 0, 2]); // adjacent unknown characters are one token
  assert.equal(tokenizer.countUpTo("ab".repeat(1000), 1000), 1000);
  assert.equal(tokenizer.countUpTo("ab".repeat(1000), 999), null);
  assert.equal(tokenizer.count("x".repeat(1 << 20)), 1);
  // Tries with links out of bounds, or in cycles.
  for (const unit of [0xffffffff, 0x61 | 0x100, 0x61, 0x361 | (97 << 10), 0]) {
    const bytes = Buffer.alloc(4 + 4 * 256 + 2);
    bytes.writeUInt32LE(4 * 256);
    for (let at = 0; at < 256; at++) bytes.writeUInt32LE(unit, 4 + 4 * at);
    const crafted = await loadTokenizer(unigram({ normalizer: { type: "Precompiled", precompiled_charsmap: bytes.toString("base64") } }));
    assert.ok(crafted.count("abé\r\na\u0301") > 0);
  }
});

test("a megabyte of one character, and lone surrogates, are counted like any other text", async () => {
  const tokenizer = await loadTokenizer(file());
  assert.equal(tokenizer.count("a".repeat(1 << 20)), 1 << 20);
  assert.equal(tokenizer.count("l".repeat(1 << 20)), 1 << 19);
  assert.equal(tokenizer.count("\ud800"), 3);
  assert.equal(tokenizer.count("hello"), 1);
});

test("hostile files are refused or bounded", { timeout: 300_000 }, async () => {
  const refusedAs = async (code, source) => assert.equal(await codeOf(() => loadTokenizer(source)), code);

  await refusedAs("ENCODING_UNSUPPORTED", new Uint8Array(200 << 20)); // 200 MB of nothing
  await refusedAs("ENCODING_INVALID", new TextEncoder().encode(`{${" ".repeat(100 << 20)}`));
  await refusedAs("ENCODING_INVALID", JSON.stringify(file({ model: { vocab: { ["a".repeat(1 << 20)]: 0 }, merges: [] } })));
  const added = (content, changes) => ({ id: 302, content, special: false, normalized: false, single_word: false, lstrip: false, rstrip: false, ...changes });
  await refusedAs("ENCODING_UNSUPPORTED", file({ file: { added_tokens: [added("a".repeat(8 << 20))] } }));
  const many = (type, of) => ({ type: "Sequence", [of]: Array.from({ length: 1000 }, () => ({ type })) });
  await refusedAs("ENCODING_UNSUPPORTED", file({ file: { normalizer: many("NFC", "normalizers") } }));
  await refusedAs("ENCODING_UNSUPPORTED", file({ file: { pre_tokenizer: many("WhitespaceSplit", "pretokenizers") } }));
  const double = { type: "Replace", pattern: { String: "a" }, content: "aa" };
  await refusedAs("ENCODING_UNSUPPORTED", file({ file: { normalizer: { type: "Sequence", normalizers: Array(40).fill(double) } } }));
  await refusedAs("ENCODING_UNSUPPORTED", file({ file: { decoder: { type: "Sequence", decoders: Array(40).fill(double) } } }));
  await refusedAs("ENCODING_INVALID", JSON.stringify(file()).replace('"h":', '"e":')); // a duplicate token

  // Merges that build each other's parts, in the wrong order; and every token of a single character.
  const signs = Array.from({ length: 200 }, (_, n) => "a".repeat(n + 1));
  const merges = signs.flatMap((left) => signs.map((right) => [left, right])).filter(([left, right]) => left.length + right.length <= 200).reverse();
  const cycles = await loadTokenizer(file({ model: { vocab: Object.fromEntries([...alphabet(), ...signs.slice(1)].map((token, id) => [token, id])), merges } }));
  assert.ok(cycles.count("a".repeat(1 << 19)) > 0);

  // A white-space token that swallows the white space around it.
  const greedy = await loadTokenizer(file({ file: { added_tokens: [added("\n", { lstrip: true, rstrip: true })] } }));
  assert.ok(greedy.count("\n".repeat(1 << 20)) > 0);
});

test("the module is loaded from where the caller says", async () => {
  const bytes = readFileSync(new URL("../../pkg/wasm/tokenizer.wasm", import.meta.url));
  for (const module of [bytes, await WebAssembly.compile(bytes)]) assert.equal((await loadTokenizer(file(), { module })).count("hello"), 1);
  assert.equal(await codeOf(() => loadTokenizer(file(), { module: new Uint8Array(3) })), "NOT_INITIALIZED");
  // A module that reads only BPE reports what it cannot read.
  const module = readFileSync(new URL("../../pkg/wasm/tokenizer-bpe.wasm", import.meta.url));
  assert.equal((await loadTokenizer(file(), { module })).count("hello"), 1);
  assert.equal((await loadTokenizer(await packTokenizer(file()), { module })).count("hello"), 1);
  for (const needs of [{ model: { type: "WordPiece", unk_token: "a", merges: [] } }, { file: { normalizer: { type: "Lowercase" } } }]) {
    await assert.rejects(loadTokenizer(file(needs), { module }), (error) => error.code === "ENCODING_UNSUPPORTED" && error.message.includes("tokenizer.wasm"));
    assert.ok((await loadTokenizer(file(needs))).count("hello") > 0);
  }
});

/** A file that takes characters as they are. */
const ofCharacters = (model, Regex) => ({
  model: { type: "BPE", merges: [], ...model },
  ...(Regex && { pre_tokenizer: { type: "Split", pattern: { Regex }, behavior: "Isolated", invert: false } }),
});

test("characters that are no tokens are left out before merging, in the first text and in every later one", async () => {
  const tokenizer = await loadTokenizer(ofCharacters({ vocab: { a: 0, " ": 1, "  ": 2 }, merges: [[" ", " "]] }));
  for (let n = 0; n < 3; n++) assert.deepEqual([...tokenizer.encode("a \u3000 a")], [0, 2, 0], `text ${n + 1}`);
});

test("`\\w` has the characters that it has for Oniguruma", async () => {
  const model = { vocab: { a: 0, "\u200d": 1, "²": 2, "-": 3, "a²": 4, "-\u200d": 5, "²a": 6 }, merges: [["a", "²"], ["-", "\u200d"], ["²", "a"]] };
  const split = async (pattern, text) => [...(await loadTokenizer(ofCharacters(model, pattern))).encode(text)];
  assert.deepEqual(await split("\\w+", "a²"), [4], "a superscript is one");
  assert.deepEqual(await split("[\\w]+", "²a"), [2, 0], "but not in a class");
  assert.deepEqual(await split("\\w+|[^\\w\\s]+", "-\u200d"), [5], "a joiner is none");
  assert.deepEqual(await split("\\W+", "-\u200d"), [5]);
  assert.deepEqual(await split("[\\W]+", "-\u200d"), [5]);
  const whitespace = await loadTokenizer({ ...ofCharacters(model), pre_tokenizer: { type: "Whitespace" } });
  assert.deepEqual([...whitespace.encode("-\u200d")], [3, 1], "the library's own pattern is not Oniguruma's");
  assert.equal(await codeOf(() => split("[[:alpha:]]+", "a")), "ENCODING_UNSUPPORTED");
});

test("a template that renders no text is refused", async () => {
  const jinja = { Template: class { render = () => 5; } };
  assert.equal(await codeOf(() => loadTokenizer(file(), { template: "{{ messages }}", jinja })), "INVALID_ARGUMENT");
});
