// contextfold, in the same shape as the peers.

import { OpenAIHistoryAdapter, Session } from "contextfold";
import { SUMMARY, asItems } from "./histories.mjs";

/** Limits so large that nothing is cut before it is asked for: neither by the window nor by the tool output budget. */
export const ROOMY = { contextWindow: 1e9, toolOutputCache: { contextBudgetTokens: 1e9 } };

const plain = (list) => list;

/** `push` and `prepare` of a session that has all earlier messages; `read` reads what would be sent. */
export const session = (name, options = {}, read = () => undefined) => ({
  name,
  budget: true,
  convert: plain,
  begin(list) {
    const session = new Session({ ...ROOMY, ...options });
    if (list.length) session.push(list);
    return {
      push: (more) => session.push(more),
      run: async () => read(await session.prepare(), session),
      end: () => session.free(),
    };
  },
});

/** Cuts the whole list to `tokens` and returns the input items that are left. */
export const cutting = (name, options = {}) => ({
  name,
  budget: true,
  convert: plain,
  begin(list) {
    const history = new OpenAIHistoryAdapter(asItems(list));
    const of = (tokens) => new Session({ ...options, contextWindow: tokens, safetyMargin: 0, summarize: async () => ({ text: SUMMARY }) });
    let session;
    return {
      ready(tokens) {
        session = of(tokens);
        session.push(list);
      },
      async cut() {
        const { messages } = await session.prepare({ fill: true });
        return history.rebuild(messages);
      },
      end() {
        session.free();
        history.free();
      },
    };
  },
});
