// Fits the estimate of src/tokens/estimate.rs on one half of the corpora and writes its tables, src/tokens/estimate_*.bin; the
// other half judges it (`npm run bench:tokens`). Needs the o200k_base asset and the built package.
//
// For each character the estimate gives the probability that a token begins there, from the character and the state before it.
// Fitting is counting: at how many such places does a token of o200k_base begin? Kinds of text are weighted by `WEIGHTS`.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadEncoding } from "contextfold";
import { halves } from "./corpora.mjs";

const asset = readFileSync(new URL("../../pkg/encodings/o200k_base.bin", import.meta.url));
const encoding = await loadEncoding("o200k_base", asset);
const lengths = tokenLengths(asset);

/** The weight of each kind. */
const WEIGHTS = { english: 1.3, code: 1.3, json: 1, logs: 1, chinese: 1, japanese: 1, mixed: 0.5, base64: 0.5, scripts: 1, colours: 0.5 };
/** Smoothing: this many average places are added to the counts, for pairs that are rare or never seen. */
const SMOOTH_LETTERS = 40;
const SMOOTH_OTHERS = 20;

// The classes and states of estimate.rs; its test compares them.
const SIGNS = "\n\r\t !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const SIGN_COUNT = SIGNS.length;
const [SMALL, CAPITAL, DIGIT, CONTROL, WIDE] = [0, 1, 2, 3, 4].map((n) => SIGN_COUNT + n);
const WIDE_COUNT = 25;
const CLASSES = WIDE + WIDE_COUNT;
const [S_SMALL, S_CAPITAL, S_DIGIT, , , S_CONTROL, S_WIDE] = [0, 1, 2, 3, 4, 5, 6].map((n) => 2 * SIGN_COUNT + n);
const S_START = S_WIDE + WIDE_COUNT;
const S_COLOUR = S_START + 1;
const STATES = S_COLOUR + 1;

const signs = new Map([...SIGNS].map((sign, i) => [sign.charCodeAt(0), i]));
const isLetter = (c) => (c | 32) >= 97 && (c | 32) <= 122 && c < 128;
const isCapital = (c) => c >= 65 && c <= 90;

const letters = { begun: new Float64Array(3 * 676), seen: new Float64Array(3 * 676) };
const others = { begun: new Float64Array(STATES * CLASSES), seen: new Float64Array(STATES * CLASSES) };
for (const [kind, weight] of Object.entries(WEIGHTS)) {
  const texts = halves(kind).fit.map(({ text }) => marked(text));
  const each = (weight * 1e6) / texts.reduce((n, { tokens }) => n + tokens, 0);
  for (const text of texts) count(text, each);
}
write();

/** The bytes of a text, and the bytes at which a token begins. */
function marked(text) {
  const bytes = Buffer.from(text);
  const begins = new Uint8Array(bytes.length);
  const tokens = encoding.encode(text);
  let at = 0;
  for (const token of tokens) {
    begins[at] = 1;
    at += lengths[token];
  }
  if (at !== bytes.length) throw new Error("the tokens are not those of the text");
  return { bytes, begins, tokens: tokens.length };
}

function count({ bytes, begins }, weight) {
  let state = S_START;
  let before = -1;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at];
    const length = byte < 128 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    let begun = 0;
    for (let i = at; i < at + length; i++) begun += begins[i];
    const [klass, next] = step(bytes, at, byte, before, state);
    const pair = state === S_SMALL || state === S_CAPITAL ? pairOf(before, byte) : null;
    const [table, slot] = pair === null ? [others, state * CLASSES + klass] : [letters, pair];
    table.begun[slot] += begun * weight;
    table.seen[slot] += weight;
    [state, before] = [next, byte < 128 ? byte : -1];
    at += length;
  }
}

/** The table index for two adjacent letters (small-small, Capital-small, CAPITAL-CAPITAL); null for any other pair. */
function pairOf(before, byte) {
  if (!isLetter(before) || !isLetter(byte) || (isCapital(byte) && !isCapital(before))) return null;
  const table = isCapital(byte) ? 2 : isCapital(before) ? 1 : 0;
  return table * 676 + ((before | 32) - 97) * 26 + ((byte | 32) - 97);
}

function step(bytes, at, byte, before, state) {
  if (byte >= 128) {
    const wide = wideClass(codePoint(bytes, at, byte));
    return [WIDE + wide, S_WIDE + wide];
  }
  if (isLetter(byte) && state === S_COLOUR) return [isCapital(byte) ? CAPITAL : SMALL, S_CONTROL];
  if (isLetter(byte)) return isCapital(byte) ? [CAPITAL, S_CAPITAL] : [SMALL, S_SMALL];
  if (byte >= 48 && byte <= 57) return [DIGIT, state === S_COLOUR ? S_COLOUR : state >= S_DIGIT && state < S_DIGIT + 2 ? state + 1 : S_DIGIT];
  const sign = signs.get(byte);
  if (sign === undefined) return [CONTROL, S_CONTROL];
  if ((state === S_CONTROL && byte === 91) || (state === S_COLOUR && byte === 59)) return [sign, S_COLOUR]; // ESC [ 1 ; 31 m
  return [sign, before === byte ? SIGN_COUNT + sign : sign];
}

function codePoint(bytes, at, first) {
  const tail = (i) => bytes[at + i] & 63;
  if (first < 0xe0) return ((first & 31) << 6) | tail(1);
  if (first < 0xf0) return ((first & 15) << 12) | (tail(1) << 6) | tail(2);
  return ((first & 7) << 18) | (tail(1) << 12) | (tail(2) << 6) | tail(3);
}

function wideClass(c) {
  const ends = [0x110, 0x112, 0x1a0, 0x1a2, 0x1af, 0x1b1, 0x250, 0x370, 0x400, 0x410, 0x450, 0x530, 0x590, 0x600, 0x780, 0x900, 0x980, 0xa00, 0xa80, 0xc00, 0xc80, 0xd80, 0xe00, 0xe80, 0x1000, 0x10a0, 0x1100, 0x1200, 0x13a0, 0x1780, 0x1800, 0x1e00, 0x1f00, 0x2000, 0x2070, 0x2200, 0x2500, 0x27c0, 0x2e80, 0x3040, 0x30a0, 0x3100, 0x3400, 0xa000, 0xac00, 0xd7b0, 0xf900, 0xfb00, 0xfb1d, 0xfb50, 0xff00, 0x10000, 0x1f000, 0x20000, 0x110000];
  const kinds = [0, 23, 0, 23, 0, 23, 0, 14, 1, 24, 2, 24, 3, 17, 3, 14, 18, 19, 4, 19, 4, 19, 4, 20, 21, 4, 18, 15, 21, 15, 22, 15, 23, 15, 5, 6, 13, 6, 15, 7, 8, 9, 7, 10, 15, 11, 15, 10, 3, 17, 3, 12, 16, 13, 16];
  return kinds[ends.findIndex((end) => c < end)];
}

function tokenLengths(bytes) {
  const ids = bytes.readUInt32LE(24);
  const out = new Uint8Array(ids).fill(1, 0, 256);
  let left = 304;
  let right = left + bytes.readUInt32LE(28);
  const varint = (at) => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return [value, at];
    }
  };
  for (let id = 256; id < ids; id++) {
    let l, r;
    [l, left] = varint(left);
    [r, right] = varint(right);
    out[id] = out[l - 1] + out[r];
  }
  return out;
}

function write() {
  const mean = (table, from, to, step = 1) => {
    let [begun, seen] = [1, 2];
    for (let i = from; i < to; i += step) [begun, seen] = [begun + table.begun[i], seen + table.seen[i]];
    return begun / seen;
  };
  const share = (table, i, smooth, usual) => (table.begun[i] + smooth * usual) / (table.seen[i] + smooth);
  const quantum = (value) => Math.min(255, Math.round(value * 64));
  const pairs = Array.from(letters.seen, (_, i) => {
    const from = Math.floor(i / 676) * 676;
    return quantum(share(letters, i, SMOOTH_LETTERS, Math.max(0.3, mean(letters, from, from + 676))));
  });
  const classMeans = Array.from({ length: CLASSES }, (_, klass) => mean(others, klass, STATES * CLASSES, CLASSES));
  const rest = Array.from(others.seen, (_, i) => quantum(share(others, i, SMOOTH_OTHERS, classMeans[i % CLASSES])));
  save("letters", pairs);
  save("others", rest);
}

function save(name, values) {
  const file = fileURLToPath(new URL(`../../src/tokens/estimate_${name}.bin`, import.meta.url));
  writeFileSync(file, Uint8Array.from(values));
  console.log(`${file}: ${values.length} values`);
}
