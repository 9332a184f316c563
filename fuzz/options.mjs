// Random options of a session.

const PRESETS = ["contextfold", "spec", "rolling", "steps-design", "steps-execution", "selective", "ladder"];
const MODELS = ["gpt-5", "claude-sonnet-4-5", "gpt-4o", "mine"];
const WINDOWS = [1, 50, 300, 800, 2000, 5000, 20_000, 100_000];

/** Makes random options; `gives` returns what a callback returns instead of an answer. */
export function optionsOf(r, text, gives, does) {
  /** A function that works, except for one call. */
  const callback = (name) => ({ $: name, ...(r.chance(0.6) && { at: 1 + r.below(60), ...(r.chance(0.4) ? { gives: gives() } : { does: does() }) }) });
  const rule = () => r.pick([{ strategy: "DROP" }, { strategy: "NONE", priority: r.below(9) }, { strategy: "TRUNCATE", keepRecent: r.below(4) }]);
  const pass = () =>
    r.pick([
      () => ({ pass: "ephemeral" }),
      () => ({ pass: "trim_tool_outputs", ...(r.chance(0.7) && { budgetTokens: r.below(2000) }) }),
      () => ({ pass: "dedupe_reads" }),
      () => ({ pass: "compress_json", maxTokens: 1 + r.below(200) }),
      () => ({ pass: "truncate_head_tail", max: 100 + r.below(3000), head: r.below(50), tail: r.below(50) }),
      () => ({ pass: "drop_memory_results" }),
      () => ({ pass: "trim_media", maxImages: r.below(4), ...(r.chance(0.3) && { maxBytes: r.below(100) }), ...(r.chance(0.3) && { keepNewest: r.below(4) }) }),
      () => ({ pass: "prune_tool_outputs", protectTurns: r.below(4), minReclaimTokens: r.below(100) }),
      () => ({ pass: "shrink_turns", to: 1 + r.below(3) }),
      () => ({ pass: "auto_compact" }),
      () => ({ pass: "even_cut" }),
      () => ({ pass: "drop_old_tool_results", keepSteps: r.below(4) }),
      () => ({ pass: "selective", ...(r.chance(0.7) && { rules: { TOOL_RESULT: rule(), ASSISTANT_MESSAGE: rule(), USER_MESSAGE: rule(), SKILL_METADATA: rule(), MEMORY: rule() } }) }),
      () => ({ pass: "recent_window", minMessages: r.below(10), targetRatio: r.below(11) / 10, recentRatio: r.below(11) / 10 }),
      () => ({ pass: "rolling_summary", upperThreshold: 500 + r.below(2000), lowerThreshold: 1 + r.below(400), minMessages: r.below(20), minNewMessages: r.below(9) }),
      () => ({ pass: "summarize", keepTurns: r.below(4), ...(r.chance(0.3) && { layout: r.pick(["retain-summary-turns", "ask-answer-steps", "replace"]) }), ...(r.chance(0.3) && { profile: r.pick(["default", "design", "execution"]) }), ...(r.chance(0.3) && { thresholdTokens: r.below(3000) }) }),
    ])();
  const compaction = () => ({
    ...(r.chance(0.05) && { enabled: false }), ...(r.chance(0.05) && { auto: false }), ...(r.chance(0.2) && { thresholdRatio: r.pick([0.05, 0.3, 0.6, 0.9, 1]) }),
    ...(r.chance(0.15) && { background: r.pick([true, { atRatio: 0.3 }, { atRatio: 0.04 }]) }), ...(r.chance(0.1) && { language: "French" }), ...(r.chance(0.1) && { summaryRole: r.pick(["user", "assistant", "system"]) }), ...(r.chance(0.1) && { lowRatio: r.pick([0.1, 0.5, 0.9]) }),
    ...(r.chance(0.3) && { maxAttempts: 1 + r.below(3) }), ...(r.chance(0.4) && { onFailure: r.pick(["error", "extractive"]) }), ...(r.chance(0.3) && { style: "transcript" }),
    ...(r.chance(0.2) && { summarizerWindow: 100 + r.below(2000) }), ...(r.chance(0.3) && { retainLastTurns: r.below(4) }), ...(r.chance(0.2) && { ledgerTokens: r.below(300) }), ...(r.chance(0.1) && { retainPrompt: r.pick(["Keep the refs.", "", null]) }),
    ...(r.chance(0.05) && { summaryPrompt: text() }), ...(r.chance(0.05) && { summaryDirectives: r.times(2, text), retainDirectives: r.times(2, text) }), ...(r.chance(0.1) && { redact: r.chance(0.8) ? callback("redact") : null }), ...(r.chance(0.05) && { model: "small" }),
  });
  const windowOf = () => r.pick(WINDOWS) + r.below(50);
  return () => ({
    ...(r.chance(0.1) && { model: r.pick(MODELS), models: { mine: { max_input_tokens: windowOf(), max_output_tokens: r.below(100) } } }),
    ...(r.chance(0.2) && { media: { maxImages: r.chance(0.8) ? r.below(5) : null, ...(r.chance(0.3) && { maxBytes: r.below(200) }), ...(r.chance(0.3) && { keepNewest: r.below(4) }), ...(r.chance(0.2) && { maxImageBytes: r.below(20) }) } }),
    ...(r.chance(0.1) && { boundThinking: r.pick(["auto", "drop", "keep"]) }), ...(r.chance(0.1) && { reservedOutputTokens: r.below(200) }), ...(r.chance(0.1) && { calibrate: false }),
    ...(r.chance(0.9) && { contextWindow: r.chance(0.98) ? windowOf() : r.pick([0, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e300, 0.5]) }), ...(r.chance(0.4) && { ladder: r.chance(0.7) ? r.pick(PRESETS) : r.times(5, pass) }), ...(r.chance(0.6) && { compaction: compaction() }),
    ...(r.chance(0.3) && { toolOutputCache: { ...(r.chance(0.1) && { enabled: false }), contextBudgetTokens: r.chance(0.9) ? r.below(1000) : null, maxMessageBytes: 64 + r.below(4000), maxLineLength: 1 + r.below(300) } }), ...(r.chance(0.2) && { safetyMargin: r.pick([0, 0, 0.3, 0.99]) }),
    ...(r.chance(0.4) && { tokenizer: r.pick(["estimate", "bytes/4", { $: "encoding" }, callback("tokenizer"), callback("tokenizer")]) }), ...(r.chance(0.1) && { now: callback("now") }), ...(r.chance(0.1) && { freezeInputs: r.chance(0.8) }),
  });
}
