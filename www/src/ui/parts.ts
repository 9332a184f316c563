// The parts of a view, with the order and the names for display. Their colours are in colours.css.

const NAMES: Record<string, string> = {
  system: "System",
  tools: "Tool definitions",
  retain: "Retained",
  summary: "Summaries",
  ledger: "Ledger",
  user: "User",
  assistant: "Assistant",
  reasoning: "Reasoning",
  tool_calls: "Tool calls",
  tool_outputs: "Tool outputs",
};

const ORDER = Object.keys(NAMES);

export const partName = (name: string) => NAMES[name] ?? name.replaceAll("_", " ");

export const partColour = (name: string) => `var(--part-${name in NAMES ? name.replaceAll("_", "-") : "other"})`;

/** All names of these lists, in order. */
export function partNames(...lists: { name: string }[][]): string[] {
  const names = new Set(lists.flat().map((part) => part.name));
  const rank = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return [...names].sort((a, b) => rank(a) - rank(b));
}
