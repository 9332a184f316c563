// Markdown tables.

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, i) => (i ? "--:" : "---"))), ...rows.map(line)].join("\n");
}

export const two = (x) => (x === null || Number.isNaN(x) ? "–" : x.toFixed(2).replace(/^(-?)0\./, "$1."));
export const range = ([x, low, high]) => `${two(x)} [${two(low)}, ${two(high)}]`;
export const percent = (x) => (Number.isFinite(x) ? `${Math.round(100 * x)} %` : "–");
