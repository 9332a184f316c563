// Writes a changed request body so that what was not changed in it keeps its source text. `JSON.parse` and `JSON.stringify` would
// round its integers beyond 2^53, write some numbers differently (1.0), and reorder keys that look like numbers.

/** Only a text with this many digits in a row can have an integer beyond 2^53. */
const MANY_DIGITS = /\d{16}/;
const DIGITS = /^"-?\d+"$/;
const SCALAR = /[^\s,\]}]*/y;
const BLANK = /\s*/y;

/**
 * The JSON text of `changed`, which was made from `body`, whose source is `text`. Values that are in `body`, too, and entries of its
 * lists, are written as in `text`; so are integers beyond 2^53 inside entries that were changed.
 */
export function rewritten(text, body, changed) {
  const members = new Map(childrenOf(text, endOfBlank(text, 0)).map(({ key, from, to }) => [key, { from, to }]));
  const written = Object.entries(changed).map(([key, value]) => {
    if (value === undefined) return "";
    const there = members.get(key);
    const words = there === undefined ? JSON.stringify(value) : Object.is(value, body[key]) ? text.slice(there.from, there.to) : writtenFrom(text, there.from, body[key], value);
    return `${JSON.stringify(key)}:${words}`;
  });
  return `{${written.filter(Boolean).join()}}`;
}

/** Writes a value that was made from `before`, whose source begins at `at`. */
function writtenFrom(text, at, before, value) {
  const sources = new Map();
  const mayHaveLarge = MANY_DIGITS.test(text.slice(at, endOf(text, at)));
  const wordsOf = mayHaveLarge ? withLargeAsTexts : JSON.stringify;
  if (Array.isArray(before)) for (const [i, { from, to }] of childrenOf(text, at).entries()) learn(sources, wordsOf(before[i]), text.slice(from, to));
  if (mayHaveLarge) learnLarge(sources, text, at);
  const write = (one) => {
    const known = sources.get(wordsOf(one));
    if (known || !mayHaveLarge || typeof one !== "object" || one === null) return known ?? JSON.stringify(one);
    if (Array.isArray(one)) return `[${one.map(write).join()}]`;
    return `{${Object.entries(one).filter(([, value]) => value !== undefined).map(([key, value]) => `${JSON.stringify(key)}:${write(value)}`).join()}}`;
  };
  return Array.isArray(value) ? `[${value.map(write).join()}]` : write(value);
}

/** Learns the source of all integers beyond 2^53, and of all lists and objects that have one. Returns whether the value at `at` has one. */
function learnLarge(sources, text, at) {
  const words = text.slice(at, endOf(text, at));
  const isPlain = !"[{".includes(words[0]);
  if (!isPlain && !MANY_DIGITS.test(words)) return false;
  const isOne = isPlain && words[0] !== '"' && isLarge(Number(words));
  const has = isPlain ? isOne : childrenOf(text, at).map(({ from }) => learnLarge(sources, text, from)).some(Boolean);
  if (has || DIGITS.test(words)) learn(sources, withLargeAsTexts(JSON.parse(words)), words); // a text of digits is learnt so that it is not taken for a number
  return has;
}

/** If two sources look alike once they are rounded, neither is used: the parts of the value may still be known. */
function learn(sources, words, source) {
  sources.set(words, sources.has(words) && sources.get(words) !== source ? null : source);
}

const isLarge = (value) => Number.isInteger(value) && !Number.isSafeInteger(value);

/** As the engine writes a call's arguments in an entry that it changed. */
const withLargeAsTexts = (value) => JSON.stringify(value, (_, one) => (isLarge(one) ? String(BigInt(one)) : one));

/** The members of an object, or the entries of a list, that begins at `at` of a valid JSON text: `[{ key, from, to }]`. */
function childrenOf(text, at) {
  const children = [];
  const isObject = text[at] === "{";
  for (at = endOfBlank(text, at + 1); text[at] !== "}" && text[at] !== "]"; ) {
    if (text[at] === ",") at = endOfBlank(text, at + 1);
    let key;
    if (isObject) {
      const end = endOfString(text, at);
      key = JSON.parse(text.slice(at, end));
      at = endOfBlank(text, endOfBlank(text, end) + 1); // behind the colon
    }
    const to = endOf(text, at);
    children.push({ key, from: at, to });
    at = endOfBlank(text, to);
  }
  return children;
}

function endOf(text, at) {
  if (text[at] === '"') return endOfString(text, at);
  if (text[at] !== "{" && text[at] !== "[") return matchEnd(SCALAR, text, at);
  for (let depth = 0; ; at++) {
    const letter = text[at];
    if (letter === '"') at = endOfString(text, at) - 1;
    else if (letter === "{" || letter === "[") depth += 1;
    else if ((letter === "}" || letter === "]") && --depth === 0) return at + 1;
  }
}

function endOfString(text, at) {
  for (;;) {
    at = text.indexOf('"', at + 1);
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
}

const endOfBlank = (text, at) => matchEnd(BLANK, text, at);

function matchEnd(pattern, text, at) {
  pattern.lastIndex = at;
  pattern.exec(text);
  return pattern.lastIndex;
}
