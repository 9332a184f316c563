// What every integration does: it takes an SDK's list in, makes the view fit, and returns the view. If anything fails inside, the
// agent goes on.

import { ContextError, countTokens, tokenUsage } from "contextfold";
import { pinCompactions } from "./compactions.js";
import { Conversations } from "./conversations.js";
import { WITH_PIECES, isInstruction, withoutHeader } from "./header.js";
import { Mirror } from "./mirror.js";
import { readOptions } from "./options.js";
import { save } from "./saved.js";

export class Keeper {
  #conversations;
  #options;
  #name;
  #format;
  #mirror;
  #serves;
  #said = false;
  #noticed = false;

  /**
   * @param name the hook's, for what is said when it fails
   * @param format the engine's format that lists come in, by way of `mirror`
   * @param options the caller's
   * @param serves for a server, whose calls run in parallel: a call waits for the one before it of the same conversation (see
   * `Conversations`)
   */
  constructor(name, format, options, { mirror = new Mirror(), more, serves } = {}) {
    this.#name = name;
    this.#format = format;
    this.#mirror = mirror;
    this.#options = readOptions(options, { more });
    this.#serves = serves;
    this.#conversations = new Conversations(this.#options, format, serves);
  }

  /** The integration's own options, those named in `more` among them. */
  get options() {
    return this.#options;
  }

  /**
   * The list that is to be sent instead of `list`: the same array where nothing has to change.
   *
   * @param list the SDK's
   * @param about `header` (a text, or system messages), `tools` (definitions), `usage` (of the call before), `signal`,
   * `args` (for a caller who says by them which session it is), `cacheMarks` (as of `view`), `limits` (options of the session that go by
   * the call), `bytes` (how long the request was), `owner` (whose it is); or a function that gives this, which may fail as all in here may
   * @returns `{ list, conversation, sent, report, system, marks }`; without a conversation where something failed, or where the call is our own.
   * `sent`: for `recovered`; `report`: of this view, where it could be prepared; `system`: blocks that belong behind the system prompt, where the format keeps that
   * apart from the list; `marks`: those of ours
   */
  async fit(list, about = {}) {
    let conversation, signal;
    try {
      const { header, tools, usage, args, cacheMarks, limits, bytes, owner, ...rest } = typeof about === "function" ? await about() : about;
      signal = rest.signal;
      const mine = list.map((entry) => this.#mirror.ours(entry));
      if (this.#conversations.asksForSummary(mine)) return { list };
      let found = await this.#conversations.of(mine, args, { bytes, owner });
      while (found.conversation.busy) {
        if (!this.#serves) return { list };
        await settled(found.conversation.idle, signal);
        found = await this.#conversations.of(mine, args, { bytes, owner }); // by now it may go on with another
      }
      conversation = found.conversation;
      conversation.shownWith = cacheMarks === undefined ? undefined : { cacheMarks };
      conversation.begin();
      try {
        return await this.#fitted({ list, mine, ...found }, conversation, { header, tools, usage, limits, signal });
      } finally {
        conversation.end();
      }
    } catch (error) {
      if (conversation) conversation.sent = false;
      this.failed(error, { signal });
      return { list };
    }
  }

  async #fitted({ list, mine, whole, notice }, conversation, { header, tools, usage, limits, signal }) {
    const { session, told } = conversation;
    if (usage !== undefined && conversation.sent) recordUsage(session, usage);
    const changed = (key, value) => {
      const text = JSON.stringify(value);
      if (value === undefined || told[key] === text) return false;
      told[key] = text;
      return true;
    };
    // Instructions that stand in the list itself are its header.
    const apart = header?.length > 0 && !isInstruction(whole[0]);
    const inBlocks = apart && this.#takesPieces(header);
    session.sync(this.#format, inBlocks ? WITH_PIECES[this.#format](header, whole) : whole);
    // What is sent, and comes in again, where something fails from here on.
    Object.assign(conversation, { whole, view: mine });
    pinCompactions(session, whole, conversation.compactions);
    if (apart && changed("header", header) && !inBlocks) session.setHeader(header);
    else if (!apart && told.header !== undefined) {
      session.setHeader("");
      told.header = undefined;
    }
    if (changed("tools", tools)) session.setTools(this.#format, tools);
    if (changed("limits", limits)) session.setOptions(limits);
    conversation.trouble = undefined;
    let report;
    try {
      ({ report } = await session.prepare(signal ? { signal } : {}));
      if (notice) report.notices = [...(report.notices ?? []), notice];
      const isNotice = notice ? this.#tellNotice(report) : this.#isNotice(report);
      if (isNotice || report.decisions.length > 0) this.#report(report, conversation);
      this.#save(conversation, report.decisions.length > 0);
      // The view still fits: without `strict` this is reported, and does not stop the agent.
      if (conversation.trouble !== undefined) this.failed(new ContextError("SUMMARY_FAILED", conversation.trouble), { signal, goesOn: "a compaction failed, and the agent goes on without it" });
    } catch (error) {
      // The list is in the session, and the view is as it was before: with the folds of earlier steps. Where the SDK's
      // own list would not fit, that view is what the agent can go on with.
      if (this.#options.strict || ownFits(session, list)) throw error;
      this.failed(error, { signal });
    }
    const { entries: view, system } = this.#seen(conversation);
    Object.assign(conversation, { view, sent: true });
    const out = view.map((entry) => this.#mirror.theirs(entry));
    const unchanged = out.length === list.length && out.every((entry, i) => Object.is(entry, list[i]));
    return { list: unchanged ? list : out, conversation, sent: { whole, learnt: conversation.learnt }, report, system, marks: conversation.shownWith ? session.cacheMarks : [] };
  }

  /**
   * After a refused request: the smaller list to try again with, or `null` if the refusal was about something else. `sent`: what
   * `fit` returned for that request, if other requests of the conversation may have come since.
   */
  async recovered(conversation, error, { signal, sent } = {}) {
    if (!conversation) return null;
    while (this.#serves && conversation.busy && !signal?.aborted) await settled(conversation.idle, signal).catch(() => {});
    if (conversation.left) return null;
    if (this.#serves) conversation.begin();
    try {
      if (this.#serves && sent && sent.whole !== conversation.whole) this.#backTo(conversation, sent.whole);
      const options = signal ? { signal } : {};
      // What was learnt since this request was sent makes it smaller already.
      if (this.#serves && sent?.learnt < conversation.learnt) await conversation.session.prepare(options);
      else if (!(await conversation.session.recover(error, options))) return null;
      conversation.learnt += 1;
      const { entries: view } = this.#seen(conversation);
      conversation.view = view;
      this.#report(conversation.session.report, conversation);
      this.#save(conversation, true);
      return view.map((entry) => this.#mirror.theirs(entry));
    } catch (ours) {
      this.failed(ours, { signal });
      return null;
    } finally {
      if (this.#serves) conversation.end();
    }
  }

  #backTo(conversation, whole) {
    const header = conversation.told.header && JSON.parse(conversation.told.header);
    conversation.session.sync(this.#format, this.#takesPieces(header) ? WITH_PIECES[this.#format](header, whole) : whole);
    conversation.whole = whole;
  }

  #takesPieces = (header) => Array.isArray(header) && WITH_PIECES[this.#format] !== undefined;

  /** What the list has become since it was sent, where the hook is told: the session has it now, not with the next request. */
  heard(conversation, list) {
    if (!conversation?.sent) return;
    try {
      const whole = list.map((entry) => this.#mirror.ours(entry));
      conversation.session.sync(this.#format, whole);
      const news = whole.slice(conversation.whole.length);
      Object.assign(conversation, { whole, view: [...conversation.view, ...news] });
    } catch (error) {
      this.failed(error);
    }
  }

  /** The usage of the request that was just answered. */
  record(conversation, usage) {
    if (conversation?.sent && usage) recordUsage(conversation.session, usage);
  }

  /** Reports that the agent goes on without us, or throws with `strict`. */
  failed(error, about) {
    if (this.#options.strict) throw error;
    this.#tell(error, about);
  }

  /** Reports a failure once on the console, or each time to `onError`. An abort by the caller is no failure. */
  #tell(error, { signal, goesOn = "it failed, and the agent goes on with its own messages" } = {}) {
    if (signal?.aborted) return;
    if (this.#options.onError) {
      try {
        this.#options.onError(error);
      } catch {
        // an error of the observer must not stop the agent
      }
      return;
    }
    if (this.#said) return;
    this.#said = true;
    const why = !ContextError.isInstance(error) ? String(error) : error.message.startsWith(error.code) ? error.message : `${error.code}: ${error.message}`;
    console.warn(`contextfold (${this.#name}): ${goesOn}. ${why} (said once; \`onError\` hears every failure, \`strict: true\` throws it)`);
  }

  /** Passes on the report's notices on the set-up (no window is known, …), once: to `onReport`, or else to the console. */
  #isNotice({ notices }) {
    if (this.#noticed || !notices) return false;
    this.#noticed = true;
    return this.#tellNotice({ notices });
  }

  #tellNotice({ notices }) {
    if (!this.#options.onReport) console.warn(`contextfold (${this.#name}): ${notices.join("; ")} (said once)`);
    return true;
  }

  /** The part of the view to send. The SDK sends the header itself. */
  #seen({ session, told, shownWith }) {
    return withoutHeader(session.view(this.#format, shownWith), told.header && JSON.parse(told.header));
  }

  /** Saves all of a conversation, where it is known by a key; for a loop, at its end. */
  async saved(conversation) {
    try {
      if (conversation) await save(conversation.session, conversation.home, { wasChanged: true });
    } catch (error) {
      this.#tell(error, { goesOn: "the session could not be saved, and the agent goes on" });
    }
  }

  /** Saves the session that is known by a key, while the model is asked. */
  #save({ session, home }, wasChanged) {
    save(session, home, { wasChanged })?.catch((error) => {
      if (error?.code === "STORE_CONFLICT") this.#conversations.forget(home.key); // another process went on: the next call loads that
      this.#tell(error, { goesOn: "the session could not be saved, and the agent goes on" });
    });
  }

  /** What was decided, and how the conversation was known. */
  #report(report, { session, known }) {
    if (!report) return;
    try {
      this.#options.onReport?.({ ...report, conversation: known }, session);
    } catch (error) {
      this.failed(error);
    }
  }
}

/** Whether the SDK's own list can be sent as it is. A list that cannot be counted may well be sent. */
function ownFits(session, list) {
  if (session.limit === null) return true;
  try {
    return countTokens(list) <= session.limit;
  } catch {
    return true;
  }
}

/** Usage below this share of our count is ignored: a mock's fixed figure, or a gateway that does not count. */
const PLAUSIBLE = 0.5;

/** Missing usage (a stream that was cut off, a provider that reports none) is no failure. */
function recordUsage(session, usage) {
  try {
    const { input_tokens, cache_creation_tokens, cache_read_tokens } = tokenUsage(usage);
    if (input_tokens + cache_creation_tokens + cache_read_tokens >= session.tokens * PLAUSIBLE) session.recordUsage(usage);
  } catch {
    // nothing to learn
  }
}

/** Waits for a promise, but not beyond the signal. */
async function settled(promise, signal) {
  if (!signal) return promise;
  signal.throwIfAborted();
  let stop;
  const aborted = new Promise((_, failed) => signal.addEventListener("abort", (stop = () => failed(signal.reason)), { once: true }));
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
