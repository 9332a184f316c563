// Maps an SDK's entries to ours, if the two differ. Each of the SDK's entries is converted once, and converting ours back returns
// the original object. Entries that the engine writes have no original and are converted.

export class Mirror {
  #engineEntries = new WeakMap();
  #sdkEntries = new WeakMap();
  #convertToEngine;
  #convertToSdk;
  #readList;

  /**
   * `convertToEngine` may return the entry itself if nothing differs. `convertToSdk` also gets a function that finds the SDK's original
   * of the newest entry for which a test is true. `readList` gets each list before its entries are converted, for conversions that
   * depend on the entries around them. It may return entries that are converted anew, because more is known of them now.
   */
  constructor(convertToEngine = (entry) => entry, convertToSdk = (entry) => entry, readList = () => {}) {
    this.#convertToEngine = convertToEngine;
    this.#convertToSdk = convertToSdk;
    this.#readList = readList;
  }

  listToEngine(list) {
    for (const entry of this.#readList(list) ?? []) this.#engineEntries.delete(entry);
    return list.map((entry) => this.toEngine(entry));
  }

  toEngine(entry) {
    if (typeof entry !== "object" || entry === null) return entry;
    let engineEntry = this.#engineEntries.get(entry);
    if (engineEntry === undefined) {
      engineEntry = this.#convertToEngine(entry);
      this.#engineEntries.set(entry, engineEntry);
      if (engineEntry !== entry) this.#sdkEntries.set(engineEntry, entry);
    }
    return engineEntry;
  }

  /** `fullList`: all entries of the conversation. Only there are originals looked for: other conversations may have the same call ids. */
  toSdk(entry, fullList = []) {
    let sdkEntry = this.#sdkEntries.get(entry);
    if (sdkEntry === undefined) {
      const originalOf = (isIt) => this.#sdkEntries.get(fullList.findLast(isIt));
      sdkEntry = this.#convertToSdk(entry, originalOf);
      if (sdkEntry === entry) return entry;
      this.#sdkEntries.set(entry, sdkEntry);
      this.#engineEntries.set(sdkEntry, entry);
    }
    return sdkEntry;
  }
}
