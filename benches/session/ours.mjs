// contextfold, in the shape of the peers.

import { OpenAIHistoryAdapter, Session } from "contextfold";
import { SUMMARY, asItems } from "./histories.mjs";

/** Nothing is cut before it is asked for: neither by the window nor by the budget of tool outputs. */
export const ROOMY = { contextWindow: 1e9, toolOutputCache: { contextBudgetTokens: 1e9 } };

const plain = (list) => list;

/** `push` and `prepare` of a session, which has all that came before; `read` looks at what there is to send. */
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

/** A cut of the whole list to `tokens`, and the input items that are left of it. */
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
