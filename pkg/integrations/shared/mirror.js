// Maps an SDK's entries to ours, if the two differ. Each of the SDK's entries is converted once, and converting ours back returns
// the original object. Entries that the engine writes have no original and are converted.

export class Mirror {
  #engineEntries = new WeakMap();
  #sdkEntries = new WeakMap();
  #convertToEngine;
  #convertToSdk;

  /** `convertToEngine` may return the entry itself if nothing differs. */
  constructor(convertToEngine = (entry) => entry, convertToSdk = (entry) => entry) {
    this.#convertToEngine = convertToEngine;
    this.#convertToSdk = convertToSdk;
  }

  toEngine(entry) {
    if (typeof entry !== "object" || entry === null) return entry;
    let made = this.#engineEntries.get(entry);
    if (made === undefined) {
      made = this.#convertToEngine(entry);
      this.#engineEntries.set(entry, made);
      if (made !== entry) this.#sdkEntries.set(made, entry);
    }
    return made;
  }

  toSdk(entry) {
    let given = this.#sdkEntries.get(entry);
    if (given === undefined) {
      given = this.#convertToSdk(entry);
      if (given === entry) return entry;
      this.#sdkEntries.set(entry, given);
      this.#engineEntries.set(given, entry);
    }
    return given;
  }
}
