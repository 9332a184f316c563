// Text layout on a terminal: colours, widths, numbers, bars.

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

/** Functions that colour a text; without `color` they leave it unchanged. */
export function painter(color) {
  const paint = (code) => (color ? (text) => (text === "" ? "" : `\u001b[${code}m${text}\u001b[0m`) : (text) => text);
  return Object.fromEntries(Object.entries(CODES).map(([name, code]) => [name, paint(code)]));
}

/** Whether a stream should get colours. */
export function wantsColor(stream, { noColor = false, env = process.env } = {}) {
  return Boolean(stream.isTTY) && !noColor && !env.NO_COLOR && env.TERM !== "dumb";
}

/** The width to fill: the terminal's, but at least 60 columns, and at most 140 so that lines stay readable. */
export const columnsOf = (stream) => Math.min(Math.max(stream.columns || 80, 60), 140);

export const number = (value) => Math.round(value).toLocaleString("en-US");
export const percent = (share) => `${(share * 100).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
export const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
/** Adds thousands separators to the numbers in a text of the engine. */
export const grouped = (text) =>
  text.replace(/(?<![\w.,])\d{4,}(?![\w.,]*\w)/g, (digits) => Number(digits).toLocaleString("en-US"));

export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  for (const [unit, factor] of [
    ["kB", 1e3],
    ["MB", 1e6],
    ["GB", 1e9],
  ]) {
    if (bytes < factor * 999.5 || unit === "GB")
      return `${(bytes / factor).toFixed(bytes < factor * 9.95 ? 1 : 0)} ${unit}`;
  }
}

// ---- width

const ANSI = /\u001b\[\d*m/g;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

/** The width of a text in columns. */
export function width(text) {
  let columns = 0;
  for (const char of text.replace(ANSI, "")) columns += ZERO.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return columns;
}

export const left = (text, columns) => text + " ".repeat(Math.max(0, columns - width(text)));
export const right = (text, columns) => " ".repeat(Math.max(0, columns - width(text))) + text;

/** Foreign text as one line, without control characters. */
// eslint-disable-next-line no-control-regex
export const plain = (text) =>
  String(text).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, " ");

/** Cuts an uncoloured text at its end, with an ellipsis, so that it fits. */
export function fit(text, columns) {
  if (width(text) <= columns) return text;
  let out = "";
  let used = 0;
  for (const char of text) {
    used += width(char);
    if (used > columns - 1) break;
    out += char;
  }
  return `${out.trimEnd()}…`;
}

/** Cuts an uncoloured text at its beginning, because the end of a path says more than its root. */
export function fitEnd(text, columns) {
  if (width(text) <= columns) return text;
  return `…${[...fit([...text].reverse().join(""), columns).slice(0, -1)].reverse().join("")}`;
}

/** Breaks an uncoloured text at spaces into lines that fit. */
export function wrap(text, columns) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line && width(line) + 1 + width(word) > columns) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.map((line) => fit(line, columns));
}

// ---- bars

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** `share` of `columns` as solid blocks, to an eighth of a column; at least one eighth if it is more than 0. */
export function blocks(share, columns) {
  if (!(share > 0)) return "";
  const eighths = Math.max(1, Math.round(Math.min(share, 1) * columns * 8));
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/** A bar: what is left as solid blocks, then what was removed as shade, both to the same scale. */
export function beforeAfter(before, after, scale, columns, solid, shade) {
  const kept = blocks(after / scale, columns);
  const all = Math.max(width(kept), Math.round((Math.max(before, after) / scale) * columns));
  return solid(kept) + shade("░".repeat(Math.min(all, columns) - width(kept)));
}
