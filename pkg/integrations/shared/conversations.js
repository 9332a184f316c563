// Finds the session that a list belongs to: the caller's own, the one under its `key`, or that of the conversation which the list
// continues. Without a key, a hook gets only a list, so it is recognised by its beginning.
//
// If a conversation ever got the session of another, `sync` would remove from the view everything that is not in its list, so
// nothing of one conversation reaches the other.

import { ContextError } from "contextfold";
import { goesOn, wholeAfter } from "./common.js";
import { isInstruction } from "./header.js";
import { kept, opened } from "./saved.js";

/** How many conversations a hook keeps. The least recently used one is dropped. */
const MOST = 32;

/** A conversation as a hook sees it. */
class Conversation {
  /** The SDK's last list in our format, with our own edits undone. */
  whole = [];
  /** The last view that was returned. SDKs that carry an override forward pass it in again, followed by what is new. */
  view = [];
  /** Header, tools and limits as JSON, so that they are set on the session only if they have changed. */
  told = {};
  /** Known entries that hold a compaction made by the service. */
  compactions = new WeakSet();
  /** A run is in progress. A call that comes in now comes from inside it (a summary requested through the same client). */
  busy = false;
  /** The last request was our view, so its usage can correct our counts. */
  sent = false;

  /** The error of the last failed compaction, if the run went on without it. */
  trouble = undefined;
  /** The options for `session.view`. */
  shownWith = undefined;
  /** How the last list was recognised, for the report. */
  known = undefined;
  /** For a server: a promise that resolves when the current call has been made to fit. */
  idle = undefined;
  /** For a server: the total size of what was passed in, and whether the conversation was dropped. */
  bytes = 0;
  left = false;
  opening = undefined;
  owner = undefined;
  /** How often a limit was learnt from a refusal. */
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

  /**
   * Drops the conversation. Frees its session explicitly, after a running call, because the garbage collector does not see the module's
   * memory.
   */
  leave() {
    this.left = true;
    if (!this.busy) this.session.free();
  }
}

/** If a hook meets more than this many new conversations that already have answers within this time, they are probably all the same one. */
const FEW = 4;
const SHORT_MS = 60_000;

/**
 * If the past of a conversation is rewritten again and again, all versions stay in the session's history. When the history is this
 * many times as large as a request, a new session is begun.
 */
const MOST_OFTEN = 8;
const ALWAYS = 1_000_000;

export class Conversations {
  #given;
  #home;
  #ofSession;
  #format;
  #key;
  #serves;
  #pool = []; // the most recently used one first
  #byKey = new Map(); // promises of conversations, the most recently used one last
  #bySession = new WeakMap();
  #asked = new Set();
  #metInTheMiddle = [];

  /**
   * `session`: the caller's own, or a function that returns one. Otherwise sessions are made with the options `ofSession`, or loaded
   * from its `store` under the `key`, a text or a function of the call's arguments. `serves`: only for a server: `{ most, bytes }`,
   * the most conversations and bytes that it keeps; it frees the sessions that it drops.
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

  /** Whether the list is our own request for a summary, which passes through here if it uses the same client or model. */
  asksForSummary(list) {
    if (this.#serves || this.#asked.size === 0) return false; // a server requests summaries without going through itself
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
   * Returns the conversation that this list continues, the whole list with our own edits undone, and a notice if conversations seem
   * not to be recognised. For a server: `bytes` is the size of the request, and `owner` identifies its sender; conversations are
   * never shared between owners.
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
      if (this.#serves && (conversation.opening !== opening || conversation.owner !== owner)) continue; // a cheap check first, because a server has hundreds of conversations
      const found = goesOn(conversation, list, this.#format);
      if (found?.isTheSame && (!best || found.entries > best.found.entries)) best = { conversation, found };
    }
    if (this.#serves && best && !best.conversation.busy) { // if it is busy, the caller waits and calls this again
      best.conversation.bytes += sizeOf(list.slice(best.found.entries));
      if (best.conversation.bytes > MOST_OFTEN * bytes + ALWAYS) best = this.#without(best.conversation);
    }
    const conversation = best?.conversation ?? Object.assign(new Conversation(kept(this.#ofSession)), { bytes, opening, owner });
    this.#pool = this.#within([conversation, ...this.#pool.filter((c) => c !== conversation)]);
    const found = { ...this.#goingOn(conversation, list, { by: best ? "beginning" : "new" }, best?.found), notice: best ? undefined : this.#noticeOf(list) };
    if (!best && this.#serves) conversation.whole = list; // so that further calls of it are recognised even before the first one was processed
    return found;
  }

  /** The conversations of this pool to keep. A server drops the others, but never the first. */
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
    if (key !== undefined && (typeof key !== "string" || key === "")) throw new ContextError("INVALID_ARGUMENT", "key: the function must return a non-empty text, or `undefined` for a call without a key");
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

  /** Drops the session under a key from memory, so that the next call loads it again. */
  forget(key) {
    this.#byKey.delete(key);
  }

  /** Returns a notice, once, if many new lists already have answers: mostly they are one conversation that is not recognised. */
  #noticeOf(list) {
    if (this.#serves || !this.#metInTheMiddle || !list.some(({ role }) => role === "assistant" || role === "model")) return undefined;
    const now = Date.now();
    this.#metInTheMiddle = [...this.#metInTheMiddle.filter((at) => now - at < SHORT_MS), now];
    if (this.#metInTheMiddle.length <= FEW) return undefined;
    this.#metInTheMiddle = undefined;
    return `${FEW + 1} lists within a minute looked like new conversations, although each already has answers: if they are one conversation, its history changes from call to call, and each call may need a new summary; set the hook's \`key\` (a text, or a function of the call that returns one) to identify the conversation`;
  }
}

const sizeOf = (entries) => (entries.length > 0 ? JSON.stringify(entries).length : 0);

/** The text that a list begins with, without white space; `undefined` if its first entry has no text. */
function openingOf(list) {
  const first = list.find((entry) => !isInstruction(entry));
  const content = first?.content ?? first?.parts;
  const text = typeof content === "string" ? content : Array.isArray(content) ? content.map((part) => (typeof part?.text === "string" ? part.text : "")).join("") : "";
  return text.slice(0, 500).replace(/\s+/g, "").slice(0, 200) || undefined;
}

/** The instructions of a summary request, as they appear inside JSON. */
function questionOf(request) {
  const { content } = request.messages.at(-1);
  const text = typeof content === "string" ? content : (content.findLast((part) => part.type === "text")?.text ?? "");
  return JSON.stringify(text).slice(1, -1);
}
