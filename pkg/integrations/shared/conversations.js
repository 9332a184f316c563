// Which session a list belongs to: the caller's own, the one under his `key`, or that of the conversation which the list goes on
// with. Without a key a hook is handed a list and nothing else that says whose it is: what it begins with says.

import { ContextError } from "contextfold";
import { goesOn, wholeAfter } from "./common.js";
import { kept, opened } from "./saved.js";

/** As many conversations as one hook keeps apart; the one that was longest not heard of goes. */
const MOST = 32;

/** A conversation as a hook sees it. */
class Conversation {
  /** The SDK's list without any of our edits, as far as it is known, and the entries it is in our format. */
  whole = [];
  /** What was handed out last: SDKs that carry an override forward hand it in again, with what is new behind it. */
  view = [];
  /** What was told of beside the list, as JSON, so that it is told again only when it has changed. */
  told = {};
  /** Entries that hold a compaction of the service's own. */
  compactions = new WeakSet();
  /** A run is under way: a call that comes in now comes from inside it (a summary that is asked for through the same client). */
  busy = false;
  /** The last request was our view, so that its usage says something about our counts. */
  sent = false;

  /** What was said of the last compaction that failed, where the run went on without it. */
  trouble = undefined;
  /** The options of its views. */
  shownWith = undefined;
  /** How the last list was known to be this conversation's, for the report. */
  known = undefined;

  /** `home`: where the session is saved, `{ store, key }`. */
  constructor(session, home) {
    this.session = session;
    this.home = home;
    session.on("compaction_failed", ({ detail }) => (this.trouble = detail));
  }
}

/** More conversations than these that a hook meets in their middle, within this time, are likely one that is not known again. */
const FEW = 4;
const SHORT_MS = 60_000;

export class Conversations {
  #given;
  #home;
  #ofSession;
  #format;
  #key;
  #pool = []; // the last one heard of first
  #byKey = new Map(); // promises of conversations, the last one heard of last
  #bySession = new WeakMap();
  #asked = new Set();
  #metInTheMiddle = [];

  /**
   * `session`: the caller's own, or a function that gives one; else sessions are made with `ofSession`, or loaded from its
   * `store` under the `key`, a text or a function of the call's arguments.
   */
  constructor({ session, key, home, ofSession }, format) {
    this.#given = session;
    this.#home = home;
    this.#key = key;
    this.#format = format;
    const { summarize } = ofSession;
    this.#ofSession = typeof summarize === "function" ? { ...ofSession, summarize: this.#remembering(summarize) } : ofSession;
  }

  /** Whether the list is what we ask for a summary with: through the same client or model it comes by here, too. */
  asksForSummary(list) {
    if (this.#asked.size === 0) return false;
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
   * seem not to be known again.
   */
  async of(list, args) {
    const session = typeof this.#given === "function" ? this.#given(args) : this.#given;
    const key = session ? undefined : this.#keyOf(args);
    if (session) {
      const conversation = this.#bySession.get(session) ?? new Conversation(session, this.#home);
      this.#bySession.set(session, conversation);
      return this.#goingOn(conversation, list, { by: "session" });
    }
    if (key !== undefined) return this.#goingOn(await this.#under(key), list, { by: "key", key });
    let best;
    for (const conversation of this.#pool) {
      const found = goesOn(conversation, list, this.#format);
      if (found?.isTheSame && (!best || found.entries > best.found.entries)) best = { conversation, found };
    }
    const conversation = best?.conversation ?? new Conversation(kept(this.#ofSession));
    this.#pool = [conversation, ...this.#pool.filter((c) => c !== conversation)].slice(0, MOST);
    return { ...this.#goingOn(conversation, list, { by: best ? "beginning" : "new" }, best?.found), notice: best ? undefined : this.#noticeOf(list) };
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

  /** Lets go of what is in memory under a key: the next call loads it again. */
  forget(key) {
    this.#byKey.delete(key);
  }

  /** Said once, where conversations come in that are new here and not new: mostly it is one and the same. */
  #noticeOf(list) {
    if (!this.#metInTheMiddle || !list.some(({ role }) => role === "assistant")) return undefined;
    const now = Date.now();
    this.#metInTheMiddle = [...this.#metInTheMiddle.filter((at) => now - at < SHORT_MS), now];
    if (this.#metInTheMiddle.length <= FEW) return undefined;
    this.#metInTheMiddle = undefined;
    return `${FEW + 1} lists within a minute were taken for conversations that are new here, though each has answers in it: if they are one conversation, its past is rewritten from call to call, and each call may ask for a summary anew; give the hook a \`key\` (a text, or a function of the call that gives one) to say which conversation it is`;
  }
}

/** The instructions, as they stand in any JSON that holds them. */
function questionOf(request) {
  const { content } = request.messages.at(-1);
  const text = typeof content === "string" ? content : (content.findLast((part) => part.type === "text")?.text ?? "");
  return JSON.stringify(text).slice(1, -1);
}
