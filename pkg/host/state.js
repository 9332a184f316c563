// What a session waits for, and where it is saved. The module keeps this object for the session, and hands it to each call.

/** How many earlier places where a session was saved are remembered, besides the last one. */
const MAX_PLACES = 8;

export class State {
  /** The run that waits for a summary: `{ run, ended }`, with a promise. */
  running;
  /** The request for a summary in the background: a promise that never rejects. */
  background;
  /** The last `save`. Saves run one after the other. */
  saving;
  /** Work that the caller does not wait for, such as writes to a store. `flush` waits for it. */
  work = new Set();
  /** The first error of that work since the last `flush`: `{ error }`. */
  workFailed;
  /** Where the session was last loaded from or saved (a `Home`). */
  home;
  /** Where it was saved before that, the most recent last. */
  earlierHomes = [];
  /** A place where a save may have succeeded without the store confirming it. */
  unconfirmed;
  /** Which outputs are also in another store than the session's own, where it was saved last: `{ store, keys }`. */
  copied;
  /** Another store than the session's own that has outputs of it: the one that it was read from, or saved in since. */
  elsewhere;
  /** Where this session has taken the lease, which may no longer be its home. */
  leased;
  /** Marks a lease as this session's. It is in no snapshot, and nothing else depends on it. */
  token = Math.floor(Math.random() * 2 ** 52).toString(16);
  /** What to call for each wait when the session is freed. */
  waiting = new Map();
  /** The error of every wait, once the session is freed. */
  freed;
  #controller;

  /** Whether a summary is being written. */
  get waitsForSummary() {
    return Boolean(this.running ?? this.background);
  }

  /** A signal that fires when the session is freed, for callbacks in the background. */
  get signal() {
    this.#controller ??= globalThis.AbortController && new AbortController();
    return this.#controller?.signal;
  }

  /** The session was freed: ends what waits. */
  end(error) {
    this.freed = error;
    for (const end of this.waiting.values()) end();
    this.#controller?.abort(error);
  }

  /** Starts work that only `flush` waits for, which also reports its error. */
  begin(work) {
    const done = work.then(
      () => {},
      (error) => (this.workFailed ??= { error }),
    );
    this.work.add(done);
    done.finally(() => this.work.delete(done));
  }

  /** A known place: the session was loaded from it or saved in it. */
  knownHome(store, key) {
    return [this.home, ...this.earlierHomes].find((home) => home?.isAt(store, key));
  }

  /** All known places with this key, in whatever store. */
  homesUnder(key) {
    return [this.home, ...this.earlierHomes].filter((home) => home?.key === key);
  }

  /** Records where the session is saved now. An unconfirmed save there no longer matters. */
  moveTo(home) {
    const is = (other) => other?.isAt(home.store, home.key);
    if (is(this.unconfirmed)) this.unconfirmed = undefined;
    const earlier = [...this.earlierHomes, this.home].filter((other) => other && !is(other));
    this.earlierHomes = earlier.slice(-MAX_PLACES);
    this.home = home;
  }
}
