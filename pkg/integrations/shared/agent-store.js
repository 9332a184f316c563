// An in-memory store for the items of an Agents SDK session. Each change is applied completely or not at all.

import { ContextError } from "contextfold";

export class MemoryStore {
  #items = [];
  #done = new Map(); // finished transactions as JSON, by operation id

  async getItems(limit) {
    return structuredClone(limit === undefined ? this.#items : limit > 0 ? this.#items.slice(-limit) : []);
  }

  async addItems(items) {
    this.#items = [...this.#items, ...structuredClone(items)];
  }

  async popItem() {
    const last = this.#items.at(-1);
    this.#items = this.#items.slice(0, -1);
    return last;
  }

  async clearSession() {
    this.#items = [];
    this.#done.clear();
  }

  async replaceHistoryWithCompaction(items) {
    this.#items = structuredClone(items);
  }

  async applyHistoryMutations({ mutations }) {
    const replaced = new Map(mutations.filter(({ type }) => type === "replace_function_call").map(({ callId, replacement }) => [callId, replacement]));
    this.#items = this.#items.map((item) => (item.type === "function_call" && replaced.has(item.callId) ? structuredClone(replaced.get(item.callId)) : item));
  }

  /** A repeated operation is applied only once. One that does not match the history throws and changes nothing. */
  async applyHistoryTransaction({ operationId, transaction }) {
    if (typeof operationId !== "string" || !operationId.trim()) throw new ContextError("INVALID_ARGUMENT", "operationId: expected a non-empty text");
    const text = ordered(transaction);
    if (this.#done.has(operationId)) {
      if (this.#done.get(operationId) === text) return;
      throw new ContextError("INVALID_ARGUMENT", `the operation id ${operationId} was already used for a different operation`);
    }
    const { type } = transaction;
    if (type === "append_items") this.#items = [...this.#items, ...structuredClone(transaction.items)];
    else if (type === "replace_suffix") {
      const { expectedSuffix, replacement } = transaction;
      const start = this.#items.length - expectedSuffix.length;
      if (start < 0 || ordered(this.#items.slice(start)) !== ordered(expectedSuffix))
        throw new ContextError("INVALID_ARGUMENT", "the history does not end with the items to replace");
      this.#items = [...this.#items.slice(0, start), ...structuredClone(replacement)];
    } else throw new ContextError("INVALID_ARGUMENT", `there is no transaction of type ${type}`);
    this.#done.set(operationId, text);
  }
}

/** JSON with sorted keys, so that equal values give equal texts. */
const ordered = (value) =>
  JSON.stringify(value, (_, inner) =>
    inner && typeof inner === "object" && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
