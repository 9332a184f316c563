// Finds the session that a list belongs to: the caller's own, the one under its `key`, or that of the conversation which the list
// continues. Without a key, a hook gets only a list, so it is recognised by its beginning.
//
// If a conversation ever got the session of another, `sync` would remove from the view everything that is not in its list, so
// nothing of one conversation reaches the other.

import { ContextError } from "contextfold";
import { continuation, fullListAfter } from "./common.js";
import { isInstruction } from "./header.js";
import { loadOrCreate, newSession } from "./saved.js";

/** How many conversations a hook keeps. The least recently used one is dropped. */
const MAX_CONVERSATIONS = 32;

/** A conversation as a hook sees it. */
class Conversation {
  /** The SDK's last list in our format, with our own edits undone. */
  fullList = [];
  /** The last view that was returned. SDKs that carry an override forward pass it in again, followed by what is new. */
  view = [];
  /** Header, tools and limits as JSON, so that they are set on the session only if they have changed. */
  lastSet = {};
  /** Known entries that hold a compaction made by the service. */
  compactions = new WeakSet();
  /** A run is in progress. A call that comes in now comes from inside it (a summary requested through the same client). */
  busy = false;
  /** The last request was our view, so its usage can correct our counts. */
  sent = false;

  /** The error of the last failed compaction, if the run went on without it. */
  compactionError = undefined;
  /** The options for `session.view`. */
  viewOptions = undefined;
  /** How the last list was recognised, for the report. */
  recognition = undefined;
  /** For a server: a promise that resolves when the current call has been made to fit. */
  idle = undefined;
  /** For a server: the total size of what was passed in, and whether the conversation was dropped. */
  bytes = 0;
  isDropped = false;
  opening = undefined;
  owner = undefined;
  /** How often a limit was learnt from a refusal. */
  learntLimits = 0;

  /** `home`: where the session is saved, `{ store, key }`. */
  constructor(session, home) {
    this.session = session;
    this.home = home;
    // Weakly: the module holds the listener, and would hold the session through it, so that neither could ever be collected.
    const self = new WeakRef(this);
    session.on("compaction_failed", ({ detail }) => Object.assign(self.deref() ?? {}, { compactionError: detail }));
  }

  begin() {
    this.busy = true;
    this.idle = new Promise((done) => (this.end = () => this.#ended(done)));
  }

  #ended(done) {
    this.busy = false;
    if (this.isDropped) this.session.free();
    done();
  }

  /**
   * Drops the conversation. Frees its session explicitly, after a running call, because the garbage collector does not see the module's
   * memory.
   */
  drop() {
    this.isDropped = true;
    if (!this.busy) this.session.free();
  }
}

/** If a hook meets more than this many new conversations that already have answers within this time, they are probably all the same one. */
const MAX_UNRECOGNISED = 4;
const UNRECOGNISED_MS = 60_000;

/**
 * If the past of a conversation is rewritten again and again, all versions stay in the session's history. When the history is this
 * many times as large as a request, a new session is begun.
 */
const MAX_HISTORY_RATIO = 8;
const ALLOWED_HISTORY = 1_000_000;

export class Conversations {
  #givenSession;
  #home;
  #ofSession;
  #format;
  #key;
  #serverLimits;
  #pool = []; // the most recently used one first
  #byKey = new Map(); // promises of conversations, the most recently used one last
  #bySession = new WeakMap();
  #openRequests = new Set();
  #metWithAnswers = [];

  /**
   * `session`: the caller's own, or a function that returns one. Otherwise sessions are made with the options `ofSession`, or loaded
   * from its `store` under the `key`, a text or a function of the call's arguments. `serverLimits`: only for a server: `{ most, bytes }`,
   * the most conversations and bytes that it keeps; it frees the sessions that it drops.
   */
  constructor({ session, key, home, ofSession }, format, serverLimits) {
    this.#serverLimits = serverLimits;
    this.#givenSession = session;
    this.#home = home;
    this.#key = key;
    this.#format = format;
    const { summarize } = ofSession;
    this.#ofSession = typeof summarize === "function" ? { ...ofSession, summarize: this.#remembering(summarize) } : ofSession;
  }

  /** Whether the list is our own request for a summary, which passes through here if it uses the same client or model. */
  asksForSummary(list) {
    if (this.#serverLimits || this.#openRequests.size === 0) return false; // a server requests summaries without going through itself
    const text = JSON.stringify(list);
    return [...this.#openRequests].some((question) => text.includes(question));
  }

  #remembering(summarize) {
    return async (request, options) => {
      const question = questionOf(request);
      this.#openRequests.add(question);
      try {
        return await summarize(request, options);
      } finally {
        this.#openRequests.delete(question);
      }
    };
  }

  /**
   * Returns the conversation that this list continues, the whole list with our own edits undone, and a notice if conversations seem
   * not to be recognised. For a server: `bytes` is the size of the request, and `owner` identifies its sender; conversations are
   * never shared between owners.
   */
  async of(list, args, { bytes = 0, owner } = {}) {
    const session = typeof this.#givenSession === "function" ? this.#givenSession(args) : this.#givenSession;
    const key = session ? undefined : this.#keyOf(args);
    if (session) {
      const conversation = this.#bySession.get(session) ?? new Conversation(session, this.#home);
      this.#bySession.set(session, conversation);
      return this.#continued(conversation, list, { by: "session" });
    }
    if (key !== undefined) return this.#continued(await this.#withKey(key), list, { by: "key", key });
    let best;
    const opening = this.#serverLimits && openingOf(list);
    for (const conversation of this.#pool) {
      if (this.#serverLimits && (conversation.opening !== opening || conversation.owner !== owner)) continue; // a cheap check first, because a server has hundreds of conversations
      const found = continuation(conversation, list, this.#format);
      if (found?.isTheSame && (!best || found.entries > best.found.entries)) best = { conversation, found };
    }
    if (this.#serverLimits && best && !best.conversation.busy) { // if it is busy, the caller waits and calls this again
      best.conversation.bytes += sizeOf(list.slice(best.found.entries));
      if (best.conversation.bytes > MAX_HISTORY_RATIO * bytes + ALLOWED_HISTORY) best = this.#dropFromPool(best.conversation);
    }
    const conversation = best?.conversation ?? Object.assign(new Conversation(newSession(this.#ofSession)), { bytes, opening, owner });
    this.#pool = this.#trimmedToLimits([conversation, ...this.#pool.filter((c) => c !== conversation)]);
    const found = { ...this.#continued(conversation, list, { by: best ? "beginning" : "new" }, best?.found), notice: best ? undefined : this.#noticeOf(list) };
    if (!best && this.#serverLimits) conversation.fullList = list; // so that further calls of it are recognised even before the first one was processed
    return found;
  }

  /**
   * A conversation for one call that comes in while another call of its conversation is running. It has the same limit, but cuts only
   * what is above it, and lets no model write a summary. `undefined` if there is no limit, or if the list does not begin like the
   * conversation.
   */
  apart(conversation, list) {
    const { session, viewOptions, recognition } = conversation;
    if (session.limit === null || !continuation(conversation, list, this.#format)) return undefined;
    const { summarize, store, compaction, ...options } = this.#ofSession;
    const own = newSession({ ...options, contextWindow: session.limit, reservedOutputTokens: 0, compaction: { ...compaction, thresholdRatio: 1 } });
    return Object.assign(new Conversation(own), { viewOptions, recognition });
  }

  /** The conversations of this pool to keep. A server drops the others, but never the first. */
  #trimmedToLimits(pool) {
    if (!this.#serverLimits) return pool.slice(0, MAX_CONVERSATIONS);
    let bytes = 0;
    const end = pool.findIndex((conversation, i) => ((bytes += conversation.bytes), i > 0 && (i >= this.#serverLimits.most || bytes > this.#serverLimits.bytes)));
    if (end < 0) return pool;
    for (const conversation of pool.slice(end)) conversation.drop();
    return pool.slice(0, end);
  }

  #dropFromPool(conversation) {
    this.#pool = this.#pool.filter((c) => c !== conversation);
    conversation.drop();
  }

  #continued(conversation, list, recognisedBy, found = continuation(conversation, list, this.#format)) {
    conversation.recognition = { ...recognisedBy, entries: found?.entries ?? 0, rewritten: found?.rewritten ?? 0 };
    return { conversation, fullList: fullListAfter(conversation, list, found) };
  }

  #keyOf(args) {
    const key = typeof this.#key === "function" ? this.#key(args) : this.#key;
    if (key !== undefined && (typeof key !== "string" || key === "")) throw new ContextError("INVALID_ARGUMENT", "key: the function must return a non-empty text, or `undefined` for a call without a key");
    return key;
  }

  /** The conversation under a key: the one in memory, the one in the store, or a new one. */
  async #withKey(key) {
    const found = this.#byKey.get(key) ?? loadOrCreate(this.#ofSession, key).then(({ session, home }) => new Conversation(session, home));
    this.#byKey.delete(key);
    this.#byKey.set(key, found);
    if (this.#byKey.size > MAX_CONVERSATIONS) this.#byKey.delete(this.#byKey.keys().next().value);
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
    if (this.#serverLimits || !this.#metWithAnswers || !list.some(({ role }) => role === "assistant" || role === "model")) return undefined;
    const now = Date.now();
    this.#metWithAnswers = [...this.#metWithAnswers.filter((at) => now - at < UNRECOGNISED_MS), now];
    if (this.#metWithAnswers.length <= MAX_UNRECOGNISED) return undefined;
    this.#metWithAnswers = undefined;
    return `${MAX_UNRECOGNISED + 1} lists within a minute looked like new conversations, although each already has answers: if they are one conversation, its history changes from call to call, and each call may need a new summary; set the hook's \`key\` (a text, or a function of the call that returns one) to identify the conversation`;
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
