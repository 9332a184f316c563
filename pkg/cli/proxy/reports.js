// Figures of each conversation, without any text of messages or headers of requests.

/** At most this many conversations are kept, the newest ones. */
const MAX_CONVERSATIONS = 100;


export class Reports {
  #rows = new Map(); // by the conversation's number; the most recently used one last
  #numbers = new WeakMap();
  #next = 1;
  #counts = { requests: 0, fitted: 0, made_smaller: 0, passed_through: 0, failed: 0 };
  #upstream;

  constructor(upstream) {
    this.#upstream = upstream;
  }

  /** Counts a request by its outcome. */
  count(what) {
    this.#counts[what] += 1;
  }

  /** Records a call of a conversation. */
  call({ conversation, report }, api, model) {
    const row = this.#rowOf(conversation, api);
    row.model = typeof model === "string" ? model.slice(0, 200) : null;
    row.calls += 1;
    this.#addReport(row, report);
  }

  /** Records that a request was refused as too long and retried with a smaller one. */
  smaller({ conversation, report }, api) {
    const row = this.#rowOf(conversation, api);
    row.made_smaller += 1;
    this.#addReport(row, report);
  }

  #rowOf(conversation, api) {
    if (!this.#numbers.has(conversation)) this.#numbers.set(conversation, this.#next++);
    const number = this.#numbers.get(conversation);
    const row = this.#rows.get(number) ?? { conversation: number, api: api.name, model: null, began: new Date().toISOString(), newest: null, calls: 0, made_smaller: 0, edits: 0, newest_edit: null };
    row.newest = new Date().toISOString();
    this.#rows.delete(number);
    this.#rows.set(number, row);
    if (this.#rows.size > MAX_CONVERSATIONS) this.#rows.delete(this.#rows.keys().next().value);
    return row;
  }

  #addReport(row, report) {
    if (!report) return;
    const { window, limit, tokens_before, tokens_after, messages_before, messages_after, parts, decisions, summary, counter } = report;
    const ofModel = (tokens) => Math.ceil(tokens * counter.calibration); // reports have counted tokens, but the limit is in the model's own
    const figures = ({ pass, items, ...sizes }) => ({ pass, messages: items.length, tokens_before: ofModel(sizes.tokens_before), tokens_after: ofModel(sizes.tokens_after) });
    Object.assign(row, { window, limit, tokens: ofModel(tokens_after), messages: messages_after, parts: parts.map(({ name, tokens }) => ({ name, tokens: ofModel(tokens) })) });
    if (decisions.length === 0) return;
    row.edits += 1;
    row.newest_edit = { call: row.calls, tokens_before: ofModel(tokens_before), tokens_after: ofModel(tokens_after), messages_before, messages_after, decisions: decisions.map(figures), ...(summary && { summary: { by_model: !summary.fallback } }) };
  }

  /** The newest conversations, and the counts of requests. */
  newest(most = MAX_CONVERSATIONS) {
    return { upstream: this.#upstream, requests: { ...this.#counts }, conversations: [...this.#rows.values()].reverse().slice(0, most) };
  }
}
