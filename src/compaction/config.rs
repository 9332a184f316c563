use serde_json::Value;

use super::Frame;
use crate::config::Keys;
use crate::error::Result;
use crate::names::names;

names! {
    /// How the conversation is passed to the summariser.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Style {
        /// The messages themselves, then the instruction (as in the specification).
        #[default]
        Messages = "messages",
        /// One user message with `User:`, `Assistant:` and `Tool:` lines in a fence.
        Transcript = "transcript",
    }
}

names! {
    /// What a request for a summary consists of.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RequestKind {
        /// The view itself, with its tools, followed by the instruction: the provider serves everything but the instruction from its
        /// prompt cache.
        Continue = "continue",
        /// The conversation without tools, as in the specification.
        Separate = "separate",
    }
}

names! {
    /// The role of the summary's message (`compaction.summaryRole`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SummaryRole {
        /// A user message. Its content is data.
        User = "user",
        /// The assistant's answer to a question that we insert, because no format lets an assistant speak first.
        Assistant = "assistant",
        /// A system message in a fence, for presets that require it.
        System = "system",
    }
}

names! {
    /// What happens when every attempt at a summary was rejected.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum OnFailure {
        /// The error is thrown; history and view stay as they were.
        #[default]
        Error = "error",
        /// The built-in extractive summariser writes the summary, and the report says so.
        Extractive = "extractive",
    }
}

/// When and how a conversation is folded into a summary. The defaults are those of the specification.
#[derive(Debug, Clone, PartialEq)]
pub struct CompactionConfig {
    /// If false, never compacts unless asked to.
    pub enabled: bool,
    /// If false, compacts only when asked to.
    pub auto: bool,
    /// Threshold = limit × this.
    pub threshold_ratio: f64,
    /// The summariser's model, if it differs from the session's.
    pub model: Option<String>,
    /// Replaces the default summary prompt.
    pub summary_prompt: Option<String>,
    /// Appended to the summary prompt as bullets.
    pub summary_directives: Vec<String>,
    /// Asks for a `<retain>` section.
    pub retain_prompt: Option<String>,
    /// Appended to the retain prompt as bullets.
    pub retain_directives: Vec<String>,
    /// Turns that stay whole.
    pub retain_last_turns: u64,
    /// How the conversation is passed to the summariser; `None`: as the ladder does it.
    pub style: Option<Style>,
    /// What a request consists of; `None`: as the ladder does it.
    pub request: Option<RequestKind>,
    /// How many times a summary is asked for before compaction counts as failed.
    pub max_attempts: u32,
    /// What happens after the last failed attempt.
    pub on_failure: OnFailure,
    /// Target of a compaction: limit × this.
    pub low_ratio: f64,
    /// The text around a summary; `None`: the ladder's.
    pub frame: Option<Option<Frame>>,
    /// The minimum share of a cut's target that is kept for verbatim messages, the newest steps (COMP-25).
    pub recent_ratio: f64,
    /// The summariser's context window in tokens, to override the table's value for `model` or the session's limit.
    pub summarizer_window: Option<u64>,
    /// Tokens that the carry-over ledger may take. 0: no ledger. `None`: under the ladder `contextfold` and custom ladders, a share of the
    /// low mark plus room for the user's rules; under the specifications' presets, no ledger.
    pub ledger_tokens: Option<u64>,
    /// The language of the summary, as a name or tag; `None`: the conversation's.
    pub language: Option<String>,
    /// The role of the summary's message; `None`: the layout's.
    pub summary_role: Option<SummaryRole>,
    /// From limit × this on, a summary is requested in the background; `None`: never.
    pub background: Option<f64>,
}

/// Where background summaries start, as a share of the threshold. With the default ratios (0.5 and 0.8) that is 0.7: the last third of the
/// way from the low mark to the threshold is left for the summary to arrive.
const BACKGROUND_SHARE: f64 = 7.0 / 8.0;

impl Default for CompactionConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            auto: true,
            threshold_ratio: 0.8,
            model: None,
            summary_prompt: None,
            summary_directives: Vec::new(),
            retain_prompt: None,
            retain_directives: Vec::new(),
            retain_last_turns: 1,
            style: None,
            request: None,
            max_attempts: 2,
            on_failure: OnFailure::Error,
            low_ratio: 0.5,
            frame: None,
            recent_ratio: 0.5,
            summarizer_window: None,
            ledger_tokens: None,
            language: None,
            summary_role: None,
            background: None,
        }
    }
}

/// `compaction.frame`.
fn read_frame<'a>(keys: &mut Keys<'a>, key: &'a str) -> Result<Option<Frame>> {
    let Some(text) = keys.name(key)? else { return Ok(None) };
    Frame::parse(&text).map(Some).map_err(|error| keys.error(key, error.brief()))
}

/// A list of directives, without blank ones.
fn directives<'a>(keys: &mut Keys<'a>, key: &'a str) -> Result<Vec<String>> {
    let list = keys.string_list(key)?.unwrap_or_default();
    Ok(list.into_iter().filter(|directive| !directive.trim().is_empty()).collect())
}

impl CompactionConfig {
    /// Reads the `compaction` option. Unknown keys, wrong types and numbers out of range: `INVALID_CONFIG`.
    pub fn from_value(value: &Value) -> Result<Self> {
        let mut keys = Keys::of("compaction", value)?;
        let d = Self::default();
        let mut config = Self {
            enabled: keys.bool("enabled")?.unwrap_or(d.enabled),
            auto: keys.bool("auto")?.unwrap_or(d.auto),
            threshold_ratio: keys.number_in("thresholdRatio", 0.0..=1.0)?.unwrap_or(d.threshold_ratio),
            model: keys.or_null("model", Keys::name)?.flatten(),
            summary_prompt: keys.name("summaryPrompt")?,
            summary_directives: directives(&mut keys, "summaryDirectives")?,
            retain_prompt: keys.or_null("retainPrompt", Keys::name)?.flatten(),
            retain_directives: directives(&mut keys, "retainDirectives")?,
            retain_last_turns: keys.u64_in("retainLastTurns", ..)?.unwrap_or(d.retain_last_turns),
            style: keys.one_of("style", &Style::NAMES)?.and_then(Style::parse),
            request: keys.one_of("request", &RequestKind::NAMES)?.and_then(RequestKind::parse),
            max_attempts: keys.u64_in("maxAttempts", 1..=100)?.map_or(d.max_attempts, |n| n as u32),
            on_failure: keys
                .one_of("onFailure", &OnFailure::NAMES)?
                .and_then(OnFailure::parse)
                .unwrap_or(d.on_failure),
            low_ratio: keys.number_in("lowRatio", 0.0..=1.0)?.unwrap_or(d.low_ratio),
            frame: keys.or_null("frame", read_frame)?,
            recent_ratio: keys.number_in("recentRatio", 0.0..=1.0)?.unwrap_or(d.recent_ratio),
            summarizer_window: keys.u64_in("summarizerWindow", 1..)?,
            ledger_tokens: keys.u64_in("ledgerTokens", ..)?,
            language: keys.name("language")?.filter(|l| l != "auto"),
            summary_role: keys.one_of("summaryRole", &SummaryRole::NAMES)?.and_then(SummaryRole::parse),
            background: None,
        };
        keys.value("redact"); // a function, read by the host
        let low_given = keys.value("lowRatio").is_some();
        if config.threshold_ratio <= 0.0 {
            return Err(keys.error("thresholdRatio", "expected a number above 0 and at most 1, got 0"));
        }
        if config.low_ratio <= 0.0 {
            return Err(keys.error("lowRatio", "expected a number above 0 and at most 1, got 0"));
        }
        if low_given && config.low_ratio >= config.threshold_ratio {
            let (low, high) = (config.low_ratio, config.threshold_ratio);
            return Err(keys.error("lowRatio", format!("must be below thresholdRatio ({high}), got {low}")));
        }
        config.background = config.read_background(&mut keys)?;
        keys.finish()?;
        Ok(config)
    }

    /// `true`, `false`, or `{ atRatio }`.
    fn read_background(&self, keys: &mut Keys<'_>) -> Result<Option<f64>> {
        let by_default = self.threshold_ratio * BACKGROUND_SHARE;
        match keys.value("background") {
            Some(Value::Object(_)) => {}
            Some(Value::Bool(on)) => return Ok(on.then_some(by_default)),
            Some(_) => return Err(keys.error("background", "expected true, false or { atRatio }")),
            None => return Ok(None),
        }
        let Some(mut inner) = keys.object("background")? else { return Ok(None) };
        let at = inner.number_in("atRatio", 0.0..=1.0)?.unwrap_or(by_default);
        if at <= 0.0 || at >= self.threshold_ratio {
            let high = self.threshold_ratio;
            let why = format!("must be above 0 and below thresholdRatio ({high}), got {at}");
            return Err(inner.error("atRatio", why));
        }
        inner.finish()?;
        Ok(Some(at))
    }

    /// Whether the answer must have a `<retain>` section.
    pub fn wants_retain(&self) -> bool {
        self.retain_prompt.is_some() || !self.retain_directives.is_empty()
    }

    /// The tokens at which a compaction is due: limit × ratio, rounded up.
    pub fn threshold(&self, limit: u64) -> u64 {
        let exact = limit as f64 * self.threshold_ratio;
        // 1000 × 0.7 must be 700, although the product of the two doubles is slightly off.
        let whole = exact.round();
        (if (exact - whole).abs() < 1e-6 { whole } else { exact.ceil() }) as u64
    }

    /// The low mark that belongs to a threshold given in tokens.
    pub fn target_for(&self, threshold: u64) -> u64 {
        (threshold as f64 * (self.low_ratio / self.threshold_ratio).min(1.0)) as u64
    }

    /// The tokens that a compaction aims at: the low mark, but never above the threshold.
    pub fn target(&self, limit: u64) -> u64 {
        (limit as f64 * self.low_ratio.min(self.threshold_ratio)) as u64
    }
}
