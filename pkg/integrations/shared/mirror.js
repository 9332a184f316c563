// Maps an SDK's entries to ours, if the two differ. Each of the SDK's entries is converted once, and converting ours back returns
// the original object. Entries that the engine writes have no original and are converted.

export class Mirror {
  #ours = new WeakMap();
  #theirs = new WeakMap();
  #toOurs;
  #toTheirs;

  /** `toOurs` may return the entry itself if nothing differs. */
  constructor(toOurs = (entry) => entry, toTheirs = (entry) => entry) {
    this.#toOurs = toOurs;
    this.#toTheirs = toTheirs;
  }

  ours(entry) {
    if (typeof entry !== "object" || entry === null) return entry;
    let made = this.#ours.get(entry);
    if (made === undefined) {
      made = this.#toOurs(entry);
      this.#ours.set(entry, made);
      if (made !== entry) this.#theirs.set(made, entry);
    }
    return made;
  }

  theirs(entry) {
    let given = this.#theirs.get(entry);
    if (given === undefined) {
      given = this.#toTheirs(entry);
      if (given === entry) return entry;
      this.#theirs.set(entry, given);
      this.#ours.set(given, entry);
    }
    return given;
  }
}
