// Finds the fault in JSON text. JavaScript engines describe it differently, often without a position; people need line and column.

// A quoted text, as far as it is valid.
const SOUND_TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const MARK = /[[\]{},:]/;
const WORD = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/;
const TOKEN = new RegExp(`[\\t\\n\\r ]*(?:(${MARK.source})|(${SOUND_TEXT.source}")|${WORD.source})`, "y");

/** The first fault in `text`, which `JSON.parse` refused: `{ line, column, what }`, both counted from 1. */
export const locateFault = (text) => scanned(text, () => {});

/**
 * The undamaged part of a broken list, or of a body with a list under one of `keys`: the document up to its last complete entry, or
 * `null` if no entry is complete.
 */
export function salvage(text, keys) {
  let whole = null;
  let key = null;
  scanned(text, ({ at, stack, string, isKey }) => {
    if (isKey && stack.length === 1) key = JSON.parse(string);
    const inList = stack.length === 1 ? stack[0] === "[" : stack.length === 2 && stack[0] === "{" && stack[1] === "[" && keys.includes(key);
    if (inList && !isKey) whole = { end: at, close: stack.length === 1 ? "]" : "]}" };
  });
  return whole && JSON.parse(text.slice(0, whole.end) + whole.close);
}

/** Scans to the first fault and returns it. Calls `each` at the end of every value and key, with the containers that are open there. */
function scanned(text, each) {
  const scan = { text, at: 0 };
  const stack = []; // "[" or "{" for every open container
  let expect = "value";
  for (;;) {
    const token = next(scan);
    if (!token) return fault(scan, stack, expect);
    const { mark, string } = token;
    if (mark === "]" || mark === "}") {
      const closes = mark === "]" ? "[" : "{";
      const mayClose = expect === "comma" || expect === (mark === "]" ? "first value" : "first key");
      if (stack.at(-1) !== closes || !mayClose) return fault(token, stack, expect);
      stack.pop();
      expect = stack.length ? "comma" : "end";
      each({ at: scan.at, stack });
    } else if (expect === "value" || expect === "first value") {
      if (mark === "[" || mark === "{") {
        stack.push(mark);
        expect = mark === "[" ? "first value" : "first key";
      } else if (mark) return fault(token, stack, expect);
      else {
        expect = stack.length ? "comma" : "end";
        each({ at: scan.at, stack });
      }
    } else if (expect === "key" || expect === "first key") {
      if (!string) return fault(token, stack, expect);
      expect = "colon";
      each({ at: scan.at, stack, string, isKey: true });
    } else if (expect === "colon") {
      if (mark !== ":") return fault(token, stack, expect);
      expect = "value";
    } else if (expect === "comma" && mark === ",") expect = stack.at(-1) === "[" ? "value" : "key";
    else return fault(token, stack, expect);
  }
}

function next(scan) {
  TOKEN.lastIndex = scan.at;
  const found = TOKEN.exec(scan.text);
  if (!found) return null;
  scan.at = TOKEN.lastIndex;
  return { text: scan.text, at: scan.at - found[0].trimStart().length, mark: found[1], string: found[2] };
}

const EXPECTED = {
  value: "a value",
  "first value": "a value or ]",
  key: "a key in quotes",
  "first key": "a key in quotes or }",
  colon: "a colon",
  end: "nothing more",
};

function fault({ text, at }, stack, expect) {
  while (/[\t\n\r ]/.test(text[at] ?? "")) at += 1;
  if (text[at] === '"' && /value|key/.test(expect)) {
    const inside = textFault(text, at);
    if (inside) return { ...place(text, inside.at), what: inside.what };
  }
  const wanted = expect === "comma" ? `a comma or ${stack.at(-1) === "[" ? "]" : "}"}` : EXPECTED[expect];
  return { ...place(text, at), what: `expected ${wanted}, found ${found(text, at)}` };
}

function place(text, at) {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}

/** What is wrong inside the quoted text that begins at `at`, if anything is. */
function textFault(text, at) {
  SOUND_TEXT.lastIndex = at;
  const end = at + SOUND_TEXT.exec(text)[0].length;
  if (text[end] === '"') return null;
  if (end >= text.length) return { at, what: "this text is not closed (is the file cut off?)" };
  if (text[end] === "\\")
    return { at: end, what: `\`${text.slice(end, end + 2)}\` is not a valid escape (a backslash itself is \\\\)` };
  return {
    at: end,
    what: text[end] === "\n" ? "a line ends inside a text (write \\n)" : "a control character inside a text",
  };
}

function found(text, at) {
  if (at >= text.length) return "the end (is the file cut off?)";
  if (text[at] === '"') return "a text";
  return `\`${/^(?:[\w.+-]{1,20}|.)/su.exec(text.slice(at, at + 24))[0]}\``;
}
