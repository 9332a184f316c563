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
      let [low, high, best] = [1, name === "ai" ? rest.length : 2 * budget, header];
      for (let round = 0; round < ROUNDS && low < high; round++) {
        const middle = Math.ceil((low + high) / 2);
        const view = [...header, ...await keep(rest, middle)];
        if (count.list(view) <= budget) [low, best] = [middle, view]; else high = middle - 1;
      }
      return best;
    },
  }));

/** The variants of contextfold: a session that prepares once, with `fill`, one-shot, without a useful summary, each preset. */
export function contextfold(built, label) {
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
  const once = (more) => async (messages, budget) => (await built.compactMessages(messages, options(budget, more))).messages.map(plain);
  const ways = {
    contextfold: session(),
    "contextfold-useless": session({ summarize: useless }),
    "contextfold-fill": session({}, { fill: true }),
    "contextfold-once": once(),
    "contextfold-once-useless": once({ summarize: useless }),
    ...Object.fromEntries(Object.keys(built.presets).filter((name) => name !== "contextfold").map((name) => [`preset-${name}`, session({ ladder: name })])),
  };
  return Object.entries(ways).map(([name, view]) => ({ name: label ? `${label}:${name}` : name, kind: name, view }));
}
