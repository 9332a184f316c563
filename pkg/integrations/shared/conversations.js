// Which session a list belongs to: the caller's own, the one under its `key`, or the one of the conversation that the list
// continues. Without a key, a hook gets only a list, so its beginning has to tell.
//
// If one conversation still gets the session of another, `sync` takes out of the view what is not in its list: nothing of one
// reaches the other.

import { ContextError } from "contextfold";
import { goesOn, wholeAfter } from "./common.js";
import { isInstruction } from "./header.js";
import { kept, opened } from "./saved.js";

/** How many conversations a hook keeps; the one that was used longest ago goes. */
const MOST = 32;

/** A conversation as a hook sees it. */
class Conversation {
  /** The SDK's list without any of our edits, as far as it is known, and the entries it is in our format. */
  whole = [];
  /** What was handed out last: SDKs that carry an override forward hand it in again, with what is new behind it. */
  view = [];
  /** Header and tools as JSON, so that the session is told again only if they have changed. */
  told = {};
  /** Entries that hold a compaction of the service's own. */
  compactions = new WeakSet();
  /** A run is under way: a call that comes in now comes from inside it (a summary that is asked for through the same client). */
  busy = false;
  /** The last request was our view, so that its usage says something about our counts. */
  sent = false;

  /** The error of the last failed compaction, if the run went on without it. */
  trouble = undefined;
  /** The options of its views. */
  shownWith = undefined;
  /** How the last list was known to be this conversation's, for the report. */
  known = undefined;
  /** Of a server: settles when the call that is under way has been made to fit. */
  idle = undefined;
  /** Of a server: how long all that was handed in is, and whether the conversation was let go of. */
  bytes = 0;
  left = false;
  opening = undefined;
  owner = undefined;
  /** How many refusals were learnt from. */
  learnt = 0;

  /** `home`: where the session is saved, `{ store, key }`. */
  constructor(session, home) {
    this.session = session;
    this.home = home;
    session.on("compaction_failed", ({ detail }) => (this.trouble = detail));
  }

  begin() {
    this.busy = true;
    this.idle = new Promise((done) => (this.end = () => this.#ended(done)));
  }

  #ended(done) {
    this.busy = false;
    if (this.left) this.session.free();
    done();
  }

  /** Frees the session at once, because the garbage collector does not see the module's memory. Waits for a running call. */
  leave() {
    this.left = true;
    if (!this.busy) this.session.free();
  }
}

/** If a hook meets more than this many conversations in their middle within this time, they are probably one that is not recognised. */
const FEW = 4;
const SHORT_MS = 60_000;

/** A past that is rewritten again and again stays in the session's history. When the history is this many times a request, a new session is begun. */
const MOST_OFTEN = 8;
const ALWAYS = 1_000_000;

export class Conversations {
  #given;
  #home;
  #ofSession;
  #format;
  #key;
  #serves;
  #pool = []; // the last one heard of first
  #byKey = new Map(); // promises of conversations, the last one heard of last
  #bySession = new WeakMap();
  #asked = new Set();
  #metInTheMiddle = [];

  /**
   * `session`: the caller's own, or a function that gives one; else sessions are made with `ofSession`, or loaded from its
   * `store` under the `key`, a text or a function of the call's arguments. `serves` is a server's: `{ most, bytes }`, what it keeps at
   * the most; sessions that nobody else holds are freed.
   */
  constructor({ session, key, home, ofSession }, format, serves) {
    this.#serves = serves;
    this.#given = session;
    this.#home = home;
    this.#key = key;
    this.#format = format;
    const { summarize } = ofSession;
    this.#ofSession = typeof summarize === "function" ? { ...ofSession, summarize: this.#remembering(summarize) } : ofSession;
  }

  /** Whether the list is what we ask for a summary with: through the same client or model it comes by here, too. */
  asksForSummary(list) {
    if (this.#serves || this.#asked.size === 0) return false; // a server asks past itself
    const text = JSON.stringify(list);
    return [...this.#asked].some((question) => text.includes(question));
  }

  #remembering(summarize) {
    return async (request, options) => {
      const question = questionOf(request);
      this.#asked.add(question);
      try {
        return await summarize(request, options);
      } finally {
        this.#asked.delete(question);
      }
    };
  }

  /**
   * The conversation that this list goes on with, the whole list with our own edits taken back, and a notice where conversations
   * seem not to be known again. Of a server: `bytes`, how long the request was, and `owner`, whose it is: nothing that one has said comes
   * to another.
   */
  async of(list, args, { bytes = 0, owner } = {}) {
    const session = typeof this.#given === "function" ? this.#given(args) : this.#given;
    const key = session ? undefined : this.#keyOf(args);
    if (session) {
      const conversation = this.#bySession.get(session) ?? new Conversation(session, this.#home);
      this.#bySession.set(session, conversation);
      return this.#goingOn(conversation, list, { by: "session" });
    }
    if (key !== undefined) return this.#goingOn(await this.#under(key), list, { by: "key", key });
    let best;
    const opening = this.#serves && openingOf(list);
    for (const conversation of this.#pool) {
      if (this.#serves && (conversation.opening !== opening || conversation.owner !== owner)) continue; // of a server's hundreds, most begin otherwise
      const found = goesOn(conversation, list, this.#format);
      if (found?.isTheSame && (!best || found.entries > best.found.entries)) best = { conversation, found };
    }
    if (this.#serves && best && !best.conversation.busy) { // one that is busy is asked for again
      best.conversation.bytes += sizeOf(list.slice(best.found.entries));
      if (best.conversation.bytes > MOST_OFTEN * bytes + ALWAYS) best = this.#without(best.conversation);
    }
    const conversation = best?.conversation ?? Object.assign(new Conversation(kept(this.#ofSession)), { bytes, opening, owner });
    this.#pool = this.#within([conversation, ...this.#pool.filter((c) => c !== conversation)]);
    const found = { ...this.#goingOn(conversation, list, { by: best ? "beginning" : "new" }, best?.found), notice: best ? undefined : this.#noticeOf(list) };
    if (!best && this.#serves) conversation.whole = list; // others of it may come before it was at work once
    return found;
  }

  /** The conversations that are kept of these; a server lets go of the others, but never of the first. */
  #within(pool) {
    if (!this.#serves) return pool.slice(0, MOST);
    let bytes = 0;
    const end = pool.findIndex((conversation, i) => ((bytes += conversation.bytes), i > 0 && (i >= this.#serves.most || bytes > this.#serves.bytes)));
    if (end < 0) return pool;
    for (const conversation of pool.slice(end)) conversation.leave();
    return pool.slice(0, end);
  }

  #without(conversation) {
    this.#pool = this.#pool.filter((c) => c !== conversation);
    conversation.leave();
  }

  #goingOn(conversation, list, known, found = goesOn(conversation, list, this.#format)) {
    conversation.known = { ...known, entries: found?.entries ?? 0, rewritten: found?.rewritten ?? 0 };
    return { conversation, whole: wholeAfter(conversation, list, found) };
  }

  #keyOf(args) {
    const key = typeof this.#key === "function" ? this.#key(args) : this.#key;
    if (key !== undefined && (typeof key !== "string" || key === "")) throw new ContextError("INVALID_ARGUMENT", "key: the function must give a text that is not empty, or `undefined` for a call without one");
    return key;
  }

  /** The conversation under a key: the one in memory, the one in the store, or a new one. */
  async #under(key) {
    const found = this.#byKey.get(key) ?? opened(this.#ofSession, key).then(({ session, home }) => new Conversation(session, home));
    this.#byKey.delete(key);
    this.#byKey.set(key, found);
    if (this.#byKey.size > MOST) this.#byKey.delete(this.#byKey.keys().next().value);
    try {
      return await found;
    } catch (error) {
      this.forget(key);
      throw error;
    }
  }

  /** Drops the session under a key from memory: the next call loads it again. */
  forget(key) {
    this.#byKey.delete(key);
  }

  /** A notice, once, if conversations come in that are new here but already long: mostly it is always the same one. */
  #noticeOf(list) {
    if (this.#serves || !this.#metInTheMiddle || !list.some(({ role }) => role === "assistant" || role === "model")) return undefined;
    const now = Date.now();
    this.#metInTheMiddle = [...this.#metInTheMiddle.filter((at) => now - at < SHORT_MS), now];
    if (this.#metInTheMiddle.length <= FEW) return undefined;
    this.#metInTheMiddle = undefined;
    return `${FEW + 1} lists within a minute were taken for conversations that are new here, though each has answers in it: if they are one conversation, its past is rewritten from call to call, and each call may ask for a summary anew; give the hook a \`key\` (a text, or a function of the call that gives one) to say which conversation it is`;
  }
}

const sizeOf = (entries) => (entries.length > 0 ? JSON.stringify(entries).length : 0);

/** The words that a list begins with, without white space; `undefined` where its first entry has none. */
function openingOf(list) {
  const first = list.find((entry) => !isInstruction(entry));
  const content = first?.content ?? first?.parts;
  const text = typeof content === "string" ? content : Array.isArray(content) ? content.map((part) => (typeof part?.text === "string" ? part.text : "")).join("") : "";
  return text.slice(0, 500).replace(/\s+/g, "").slice(0, 200) || undefined;
}

/** The instructions, as they stand in any JSON that holds them. */
function questionOf(request) {
  const { content } = request.messages.at(-1);
  const text = typeof content === "string" ? content : (content.findLast((part) => part.type === "text")?.text ?? "");
  return JSON.stringify(text).slice(1, -1);
}
