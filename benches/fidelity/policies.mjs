// The policies, which make views: { name, view(messages, budget) }. contextfold is one policy per built package that is compared.

import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { evenCut, newest } from "./even-cut.mjs";
import { headerOf } from "./points.mjs";
import { plain } from "./plain.mjs";

const NOTHING = "<summary>The work went on.</summary>";
const useless = async () => ({ text: NOTHING });

/** Loads the built package of a checkout. */
export async function load(path) {
  const built = await import(pathToFileURL(resolve(path, "pkg/node.bundle.js")).href);
  return { ...built, encoding: await built.loadEncoding("o200k_base") };
}

export const simple = (count) => [
  { name: "newest", view: (messages, budget) => newest(messages, budget, count) },
  { name: "even-cut", view: (messages, budget) => evenCut(messages, budget, count) },
];

const ROUNDS = 12;
/** The peers, each with the largest limit of its own for which the view keeps the budget. `kept`: see ../session/kept.mjs. */
export const peers = (kept, count) =>
  Object.entries(kept).map(([name, keep]) => ({
    name,
    kind: "peers",
    async view(messages, budget) {
      const header = headerOf(messages);
      const rest = messages.slice(header.length);
      const limits = [1, name === "ai" ? rest.length : 2 * budget];
      return await largest(limits, async (limit) => [...header, ...await keep(rest, limit)], budget, count) ?? header;
    },
  }));

/** The view at the largest limit with which it keeps the budget. */
async function largest([low, high], view, budget, count) {
  let best;
  for (let round = 0; round < ROUNDS && low < high; round++) {
    const middle = Math.ceil((low + high) / 2);
    const made = await view(middle);
    if (made && count.list(made) <= budget) [low, best] = [middle, made]; else high = middle - 1;
  }
  return best;
}

/** How many times as large as the budget the window of a session may be whose view, after a cut, keeps the budget. */
const WINDOW = 4;

/** The variants of contextfold: a session that prepares once, with `fill`, one-shot, without a useful summary, each preset. */
export function contextfold(built, label, count) {
  const options = (budget, more) => ({ contextWindow: budget, tokenizer: built.encoding, safetyMargin: 0, ...more });
  const session = (more = {}, how = {}) => async (messages, budget) => {
    const session = new built.Session(options(budget, more));
    try {
      session.push(messages);
      return (await session.prepare(how)).messages.map(plain);
    } finally {
      session.free();
    }
  };
  const running = (more = {}) => (messages, budget) => {
    const view = async (window) => {
      try {
        return await session(more)(messages, window);
      } catch {
        return undefined; // the window is too small for what has to stay
      }
    };
    return largest([budget, WINDOW * budget], view, budget, count);
  };
  // As an agent's loop does it: prepares before each of the model's messages, with the budget as its window.
  const loop = (more = {}) => async (messages, budget) => {
    const session = new built.Session(options(budget, more));
    try {
      for (const message of messages) {
        if (message.role === "assistant" && session.items().length) await session.prepare();
        session.push([message]);
      }
      return (await session.prepare()).messages.map(plain);
    } finally {
      session.free();
    }
  };
  const once = (more) => async (messages, budget) => (await built.compactMessages(messages, options(budget, more))).messages.map(plain);
  const ways = {
    contextfold: session(),
    "contextfold-useless": session({ summarize: useless }),
    "contextfold-running": running(),
    "contextfold-loop": loop(),
    "contextfold-fill": session({}, { fill: true }),
    "contextfold-once": once(),
    "contextfold-once-useless": once({ summarize: useless }),
    ...Object.fromEntries(Object.keys(built.presets).filter((name) => name !== "contextfold").map((name) => [`preset-${name}`, session({ ladder: name })])),
  };
  return Object.entries(ways).map(([name, view]) => ({ name: label ? `${label}:${name}` : name, kind: name, view }));
}
