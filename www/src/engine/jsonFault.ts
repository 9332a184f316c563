// Where JSON breaks. The browsers' own messages differ, and many name no place.

export interface Fault {
  offset: number;
  why: string;
}

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

type Expected = "a value" | "a value or ]" | "a key in quotes" | "a key in quotes or }" | "a colon" | "a comma or ]" | "a comma or }" | "nothing more";

/** The first fault in `text`, which `JSON.parse` has refused. */
export function faultIn(text: string): Fault {
  const open: ("[" | "{")[] = [];
  let expected: Expected = "a value";
  let at = 0;
  const unexpected = (): Fault => ({ offset: at, why: `Expected ${expected}, found “${text.slice(at, at + 1)}”.` });
  const afterValue = (): Expected => (open.length === 0 ? "nothing more" : open.at(-1) === "[" ? "a comma or ]" : "a comma or }");

  for (;;) {
    at = endOf(SPACE, text, at) ?? at;
    if (at >= text.length) {
      if (expected === "nothing more") return { offset: at, why: "The browser refuses it." };
      return { offset: text.trimEnd().length, why: "It ends in the middle of a value: a part of the file is missing." };
    }
    const sign = text[at]!;
    const wantsValue: boolean = expected === "a value" || expected === "a value or ]";
    const wantsKey: boolean = expected === "a key in quotes" || expected === "a key in quotes or }";
    if (wantsValue && (sign === "[" || sign === "{")) {
      open.push(sign);
      expected = sign === "[" ? "a value or ]" : "a key in quotes or }";
      at++;
    } else if ((wantsValue || wantsKey) && sign === '"') {
      const end = endOfString(text, at);
      if (typeof end !== "number") return end;
      at = end;
      expected = wantsKey ? "a colon" : afterValue();
    } else if (wantsValue && endOf(SCALAR, text, at) !== null) {
      at = endOf(SCALAR, text, at)!;
      expected = afterValue();
    } else if ((sign === "]" || sign === "}") && expected.endsWith(`or ${sign}`)) {
      open.pop();
      expected = afterValue();
      at++;
    } else if (sign === ":" && expected === "a colon") {
      expected = "a value";
      at++;
    } else if (sign === "," && expected.startsWith("a comma")) {
      expected = open.at(-1) === "[" ? "a value" : "a key in quotes";
      at++;
    } else return unexpected();
  }
}

/** Behind the closing quote, or what is wrong before it. */
function endOfString(text: string, start: number): number | Fault {
  let at = start + 1;
  while (at < text.length) {
    const sign = text[at]!;
    if (sign === '"') return at + 1;
    if (sign === "\\") {
      const end = endOf(ESCAPE, text, at);
      if (end === null && text.length - at > 6) return { offset: at, why: "A backslash stands before what it cannot escape." };
      at = end ?? text.length;
    } else if (sign < " ") return { offset: at, why: "A string has a raw line break or control character in it." };
    else at++;
  }
  return { offset: text.trimEnd().length, why: "It ends in the middle of a text: a part of the file is missing." };
}

function endOf(shape: RegExp, text: string, at: number): number | null {
  shape.lastIndex = at;
  return shape.test(text) ? shape.lastIndex : null;
}
