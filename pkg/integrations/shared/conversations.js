// Which session a list belongs to. A hook is handed a list and nothing else that says whose it is: what it begins with says.

import { Session } from "contextfold";

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

  constructor(session) {
    this.session = session;
    session.on("compaction_failed", ({ detail }) => (this.trouble = detail));
  }
}

export class Conversations {
  #given;
  #ofSession;
  #pool = []; // the last one heard of first
  #bySession = new WeakMap();
  #asked = new Set();

  /** `given`: the caller's own session, or a function that gives one; else sessions are made with `ofSession`. */
  constructor(given, ofSession) {
    this.#given = given;
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

  /** The conversation that this list goes on with, and the whole list with our own edits taken back. */
  of(list, args) {
    if (this.#given) {
      const session = typeof this.#given === "function" ? this.#given(args) : this.#given;
      const known = this.#bySession.get(session) ?? new Conversation(session);
      this.#bySession.set(session, known);
      return { conversation: known, whole: wholeOf(known, list) ?? list };
    }
    let best;
    for (const conversation of this.#pool) {
      const whole = wholeOf(conversation, list);
      if (whole && (!best || conversation.whole.length > best.conversation.whole.length)) best = { conversation, whole };
    }
    best ??= { conversation: new Conversation(new Session(this.#ofSession)), whole: list };
    this.#pool = [best.conversation, ...this.#pool.filter((c) => c !== best.conversation)].slice(0, MOST);
    return best;
  }
}

/** The instructions, as they stand in any JSON that holds them. */
function questionOf(request) {
  const { content } = request.messages.at(-1);
  const text = typeof content === "string" ? content : (content.findLast((part) => part.type === "text")?.text ?? "");
  return JSON.stringify(text).slice(1, -1);
}

/** The list with what stood in place of its beginning put back; `undefined` where it does not go on with the conversation. */
function wholeOf({ whole, view }, list) {
  if (view.length > 0 && begins(list, view, Object.is)) return [...whole, ...list.slice(view.length)];
  // Entries that are the same keep the objects by which they are known.
  if (whole.length > 0 && begins(list, whole, same)) return [...whole, ...list.slice(whole.length)];
  return undefined;
}

const begins = (list, head, equal) => list.length >= head.length && head.every((entry, i) => equal(entry, list[i]));

const texts = new WeakMap();

function textOf(entry) {
  if (typeof entry !== "object" || entry === null) return JSON.stringify(entry);
  let text = texts.get(entry);
  if (text === undefined) texts.set(entry, (text = JSON.stringify(entry)));
  return text;
}

function same(a, b) {
  if (Object.is(a, b)) return true;
  try {
    return textOf(a) === textOf(b);
  } catch {
    return false; // a cycle or a BigInt: another entry, and the engine says what is wrong with it
  }
}
