use std::sync::Arc;

use super::{Rules, TextRule};

/// How the tokens of a text are counted. Its name appears in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Our own estimate by character classes (the default).
    Estimate,
    /// UTF-8 bytes / 4, rounded up, as in the specification.
    BytesPerFour,
    /// An exact encoding, by name.
    Encoding(&'static str),
    /// A tokenizer from `loadTokenizer`, by name.
    Tokenizer(&'static str),
    /// A JavaScript callback.
    Callback,
}

impl Method {
    /// The name in the report and in `SessionOptions.tokenizer`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::BytesPerFour => "bytes/4",
            Self::Encoding(name) | Self::Tokenizer(name) => name,
            Self::Callback => "callback",
        }
    }

    /// Whether it counts `OpenAI` tokens, so that counts for another family are a multiple of it.
    pub const fn counts_as_openai(self) -> bool {
        matches!(self, Self::Estimate | Self::Encoding(_))
    }
}

/// Counts the tokens of plain text. Deterministic: the same text always has the same count.
pub trait TokenCounter {
    /// Tokens of `text`. The text of a special token counts as ordinary text.
    fn count(&self, text: &str) -> u64;

    /// Tokens of `text` if there are at most `limit`, else `None`. May stop early.
    fn count_up_to(&self, text: &str, limit: u64) -> Option<u64> {
        let n = self.count(text);
        (n <= limit).then_some(n)
    }

    /// How it counts.
    fn method(&self) -> Method;

    /// Whether the count of a text equals the provider's (an exact encoding).
    fn exact(&self) -> bool {
        false
    }

    /// The rules for what is added beyond text: messages, calls, tools, images.
    fn rules(&self) -> Rules {
        Rules::default()
    }
}

/// A counter with a model's rules.
pub struct WithRules {
    counter: Counter,
    rules: Rules,
}

impl WithRules {
    /// Counts text with `counter` and everything else by `rules`.
    pub fn new(counter: Counter, rules: Rules) -> Self {
        Self { counter, rules }
    }

    /// The factors apply to `OpenAI` tokens, so a counter of other tokens gets none.
    fn text_rule(&self) -> TextRule {
        if self.counter.method().counts_as_openai() { self.rules.text } else { TextRule::Counted }
    }
}

impl TokenCounter for WithRules {
    fn count(&self, text: &str) -> u64 {
        self.text_rule().apply(text, self.counter.count(text))
    }

    fn count_up_to(&self, text: &str, limit: u64) -> Option<u64> {
        let rule = self.text_rule();
        self.counter.count_up_to(text, rule.max_counted(text, limit)).map(|tokens| rule.apply(text, tokens))
    }

    fn method(&self) -> Method {
        self.counter.method()
    }

    fn exact(&self) -> bool {
        self.counter.exact()
    }

    fn rules(&self) -> Rules {
        self.rules
    }
}

/// The counter with the rules of the model of this name.
pub fn by_rules_of(model: &str, counter: Counter) -> Counter {
    let rules = Rules::of(model, &*counter);
    #[allow(clippy::arc_with_non_send_sync, reason = "a counter is as shareable as the one within")]
    Arc::new(WithRules::new(counter, rules))
}

/// A counter shared by everything in a session.
pub type Counter = Arc<dyn TokenCounter>;
