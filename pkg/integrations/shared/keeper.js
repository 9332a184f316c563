// The common part of all integrations: takes an SDK's list, makes the view fit, and returns the view. If anything fails inside, the
// agent goes on.

import { ContextError, countTokens, tokenUsage } from "contextfold";
import { bindsThinking } from "./bound-thinking.js";
import { isWrittenSame } from "./common.js";
import { pinCompactions } from "./compactions.js";
import { Conversations } from "./conversations.js";
import { WITH_PIECES, isInstruction, withoutHeader } from "./header.js";
import { Mirror } from "./mirror.js";
import { readOptions } from "./options.js";
import { newSession, save } from "./saved.js";

export class Keeper {
  #conversations;
  #options;
  #name;
  #format;
  #mirror;
  #serverLimits;
  /** Whether nobody has said what to do with thinking after an edit: then the model of the call decides. */
  #mayBindThinking;
  #hasWarned = false;
  #hasNoticed = false;

  /**
   * @param name the hook's name, for messages on the console
   * @param format the engine's format of the lists, after `mirror` has converted them
   * @param options the caller's options
   * @param serverLimits only for a server, whose calls run in parallel: a call waits for the previous one of the same conversation (see
   * `Conversations`)
   */
  constructor(name, format, options, { mirror = new Mirror(), more, serverLimits } = {}) {
    this.#name = name;
    this.#format = format;
    this.#mirror = mirror;
    this.#options = readOptions(options, { more });
    this.#serverLimits = serverLimits;
    this.#mayBindThinking = this.#options.session === undefined && (this.#options.ofSession.boundThinking ?? "auto") === "auto";
    this.#conversations = new Conversations(this.#options, format, serverLimits);
  }

  /** The integration's own options, including those named in `more`. */
  get options() {
    return this.#options;
  }

  /**
   * Returns the list to send instead of `list`; the same array if nothing has to change.
   *
   * @param list the SDK's list
   * @param about `header` (a text, or system messages), `tools` (definitions), `usage` (of the previous call), `signal`, `args` (the
   * arguments for the functions `key` and `session`), `cacheMarks` (as for `view`), `limits` (session options that depend on the
   * call), `model` (the one that is called: a name, or an AI SDK model), `bytes` (the size of the request), `owner` (its sender); or a function that returns this. If the function throws, that is
   * handled like any other failure here.
   * @returns the fitting, for `recovered` and `record`: `{ list, conversation, fullList, learntLimits, report, system, marks }`. Only
   * `list` if something failed, or if the call is our own request for a summary. `fullList`, `learntLimits`: those of the conversation
   * at this call; `report`: of this view, if it could be prepared; `system`: blocks to append to the system prompt, if the format has
   * that outside the list; `marks`: our prompt-cache marks
   */
  async fit(list, about = {}) {
    let conversation, signal;
    try {
      const { header, tools, usage, args, cacheMarks, limits, model, bytes, owner, ...rest } = typeof about === "function" ? await about() : about;
      signal = rest.signal;
      const mine = this.#mirror.listToEngine(list);
      if (this.#conversations.asksForSummary(mine)) return { list };
      let found = await this.#conversations.of(mine, args, { bytes, owner });
      while (found.conversation.busy) {
        if (!this.#serverLimits) {
          // It cannot wait: it may be a call of a summariser's own, whose result the running call waits for.
          const apart = this.#conversations.apart(found.conversation, mine);
          if (!apart) return { list };
          found = { ...found, conversation: apart };
          break;
        }
        await waitFor(found.conversation.idle, signal);
        found = await this.#conversations.of(mine, args, { bytes, owner }); // by now the list may continue another conversation
      }
      conversation = found.conversation;
      conversation.viewOptions = cacheMarks === undefined ? undefined : { cacheMarks };
      conversation.begin();
      try {
        return await this.#fitList({ list, mine, ...found }, conversation, { header, tools, usage, limits, model, signal });
      } finally {
        conversation.end();
      }
    } catch (error) {
      if (conversation) conversation.sent = false;
      this.failed(error, { signal });
      return { list };
    }
  }

  async #fitList({ list, mine, fullList, notice }, conversation, { header, tools, usage, limits, model, signal }) {
    const { session, lastSet } = conversation;
    if (usage !== undefined && conversation.sent) recordUsage(session, usage);
    const changed = (key, value) => {
      const text = JSON.stringify(value);
      if (value === undefined || lastSet[key] === text) return false;
      lastSet[key] = text;
      return true;
    };
    // Instructions at the beginning of the list itself are its header.
    const apart = header?.length > 0 && !isInstruction(fullList[0]);
    const inBlocks = apart && this.#takesPieces(header);
    session.sync(this.#format, inBlocks ? WITH_PIECES[this.#format](header, fullList) : fullList);
    // If something fails from here on, this is what is sent and what comes in again.
    Object.assign(conversation, { fullList, view: mine });
    pinCompactions(session, fullList, conversation.compactions);
    if (apart && changed("header", header) && !inBlocks) session.setHeader(header);
    else if (!apart && lastSet.header !== undefined) {
      session.setHeader("");
      lastSet.header = undefined;
    }
    if (changed("tools", tools)) session.setTools(this.#format, tools);
    if (changed("limits", limits)) session.setOptions(limits);
    if (this.#mayBindThinking && changed("boundThinking", bindsThinking(model) ? "drop" : undefined)) session.setOptions({ boundThinking: "drop" });
    conversation.compactionError = undefined;
    let report;
    try {
      ({ report } = await session.prepare(signal ? { signal } : {}));
      if (notice) report.notices = [...(report.notices ?? []), notice];
      const isNotice = notice ? this.#sendNotices(report) : this.#sendNoticesOnce(report);
      if (isNotice || report.decisions.length > 0) this.#report(report, conversation);
      this.#save(conversation, report.decisions.length > 0);
      // The view still fits: without `strict` this is reported, and does not stop the agent.
      if (conversation.compactionError !== undefined) this.failed(new ContextError("SUMMARY_FAILED", conversation.compactionError), { signal, goesOn: "a compaction failed; the agent continues without it" });
    } catch (error) {
      // The session has the list, and its view still has the folds of earlier steps. If the SDK's own list would not fit, the agent
      // goes on with that view.
      if (this.#options.strict || ownFits(session, mine)) throw error;
      this.failed(error, { signal });
    }
    const { entries: view, system } = this.#viewToSend(conversation);
    Object.assign(conversation, { view, sent: true });
    const out = view.map((entry) => this.#mirror.toSdk(entry, conversation.fullList));
    // Lists that come as JSON have new objects in each request, while the view has those by which the entries became known.
    const unchanged = view.length === mine.length && view.every((entry, i) => isWrittenSame(entry, mine[i]));
    return { list: unchanged ? list : out, conversation, fullList, learntLimits: conversation.learntLimits, report, system, marks: conversation.viewOptions ? session.cacheMarks : [] };
  }

  /**
   * After a refused request: returns the fitting to retry with, which is smaller, or `null` if the refusal had another reason. Other
   * requests of the conversation may have come since.
   */
  async recovered(fitting, error, { signal } = {}) {
    const { conversation, fullList, learntLimits } = fitting ?? {};
    if (!conversation) return null;
    const hasOther = conversation.busy || fullList !== conversation.fullList;
    if (hasOther && !(await isTooLarge(error))) return null; // nothing of the other call may change for this
    while (conversation.busy && !signal?.aborted) await waitFor(conversation.idle, signal).catch(() => {});
    if (conversation.isDropped || signal?.aborted) return null;
    conversation.begin();
    try {
      if (fullList !== conversation.fullList) this.#resetTo(conversation, fullList);
      const options = signal ? { signal } : {};
      // If a limit was learnt since this request was sent, the next view is smaller already.
      if (learntLimits < conversation.learntLimits) await conversation.session.prepare(options);
      else if (await conversation.session.recover(error, options)) conversation.learntLimits += 1;
      else return null;
      const { entries: view } = this.#viewToSend(conversation);
      conversation.view = view;
      this.#report(conversation.session.report, conversation);
      this.#save(conversation, true);
      return { ...fitting, list: view.map((entry) => this.#mirror.toSdk(entry, fullList)), learntLimits: conversation.learntLimits };
    } catch (ownError) {
      this.failed(ownError, { signal });
      return null;
    } finally {
      conversation.end();
    }
  }

  #resetTo(conversation, fullList) {
    const header = conversation.lastSet.header && JSON.parse(conversation.lastSet.header);
    conversation.session.sync(this.#format, this.#takesPieces(header) ? WITH_PIECES[this.#format](header, fullList) : fullList);
    Object.assign(conversation, { fullList, view: fullList });
  }

  #takesPieces = (header) => Array.isArray(header) && WITH_PIECES[this.#format] !== undefined;

  /** For hooks that know how the list continues: gives the session the new entries now, not only with the next request. */
  appendEntries(conversation, list) {
    if (!conversation?.sent) return;
    try {
      const fullList = this.#mirror.listToEngine(list);
      conversation.session.sync(this.#format, fullList);
      const news = fullList.slice(conversation.fullList.length);
      Object.assign(conversation, { fullList, view: [...conversation.view, ...news] });
    } catch (error) {
      this.failed(error);
    }
  }

  /** Records the usage of the answer to a fitting. Ignored if the conversation had another request since, because our counts are of that. */
  record(fitting, usage) {
    const { conversation, fullList } = fitting ?? {};
    if (usage && conversation?.sent && conversation.fullList === fullList) recordUsage(conversation.session, usage);
  }

  /** Reports that the agent goes on without us, or throws with `strict`. */
  failed(error, about) {
    if (this.#options.strict) throw error;
    this.#tell(error, about);
  }

  /** Reports a failure once on the console, or each time to `onError`. An abort by the caller is no failure. */
  #tell(error, { signal, goesOn = "it failed; the agent continues with its own messages" } = {}) {
    if (signal?.aborted) return;
    if (this.#options.onError) {
      try {
        this.#options.onError(error);
      } catch {
        // an error of the observer must not stop the agent
      }
      return;
    }
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const why = !ContextError.isInstance(error) ? String(error) : error.message.startsWith(error.code) ? error.message : `${error.code}: ${error.message}`;
    console.warn(`contextfold (${this.#name}): ${goesOn}. ${why} (reported once; \`onError\` gets every failure, \`strict: true\` throws it)`);
  }

  /** Passes on the report's notices about the configuration (no window is known, …), once: to `onReport`, or else to the console. */
  #sendNoticesOnce({ notices }) {
    if (this.#hasNoticed || !notices) return false;
    this.#hasNoticed = true;
    return this.#sendNotices({ notices });
  }

  #sendNotices({ notices }) {
    if (!this.#options.onReport) console.warn(`contextfold (${this.#name}): ${notices.join("; ")} (reported once)`);
    return true;
  }

  /** The part of the view to send. The SDK sends the header itself. */
  #viewToSend({ session, lastSet, viewOptions }) {
    return withoutHeader(session.view(this.#format, viewOptions), lastSet.header && JSON.parse(lastSet.header));
  }

  /** Saves all of a conversation if it has a key. A loop calls this at its end. */
  async saved(conversation) {
    try {
      if (conversation) await save(conversation.session, conversation.home, { wasChanged: true });
    } catch (error) {
      this.#notSaved(error, conversation.home);
    }
  }

  /** Saves the session if it has a key, in parallel to the model call. */
  #save({ session, home }, wasChanged) {
    save(session, home, { wasChanged })?.catch((error) => this.#notSaved(error, home));
  }

  /** If somebody else has saved under the key, the next call loads that. The session's own advice is for those who call `save` themselves. */
  #notSaved(error, { key }) {
    const isConflict = error?.code === "STORE_CONFLICT";
    if (isConflict) this.#conversations.forget(key);
    const told = isConflict ? new ContextError("STORE_CONFLICT", `another call or process saved under \`${key}\` in the meantime, and nothing of it was overwritten. The next call goes on from what is saved there. Give each conversation a \`key\` of its own, and make its calls one after the other`, { cause: error }) : error;
    this.#tell(told, { goesOn: "the session could not be saved; the agent continues" });
  }

  /** Calls `onReport` with the report, and with how the conversation was recognised. */
  #report(report, { session, recognition }) {
    if (!report) return;
    try {
      this.#options.onReport?.({ ...report, conversation: recognition }, session);
    } catch (cause) {
      this.failed(new Error(`your \`onReport\` threw: ${cause?.message ?? cause}`, { cause }));
    }
  }
}

/**
 * Whether the SDK's own list fits. It is passed as the mirror converted it, because some SDKs' entries cannot be counted as they are.
 * A list that still cannot be counted is assumed to fit.
 */
function ownFits(session, list) {
  if (session.limit === null) return true;
  try {
    return countTokens(list) <= session.limit;
  } catch {
    return true;
  }
}

/** An image, of which a session can be told that it is one too many. */
const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };

/** Whether an error refuses a request for its size. Another session is asked, so that ours neither learns anything nor changes yet. */
async function isTooLarge(error) {
  const other = newSession();
  try {
    other.pushFrom("anthropic", [{ role: "user", content: [IMAGE] }]);
    return (await other.recover(error)) !== null;
  } catch {
    return true; // it is, and the other session cannot be made smaller
  } finally {
    other.free();
  }
}

/** Usage below this share of our count is ignored: a mock's fixed figure, or a gateway that does not count. */
const MIN_USAGE_SHARE = 0.5;

/** Records usage. Missing usage (a stream that was cut off, a provider that reports none) is not a failure. */
function recordUsage(session, usage) {
  try {
    const { input_tokens, cache_creation_tokens, cache_read_tokens } = tokenUsage(usage);
    if (input_tokens + cache_creation_tokens + cache_read_tokens >= session.tokens * MIN_USAGE_SHARE) session.recordUsage(usage);
  } catch {
    // nothing to learn
  }
}

/** Waits for a promise, but rejects when the signal aborts. */
async function waitFor(promise, signal) {
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
