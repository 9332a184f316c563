//! Families whose newer models count text differently from the older ones, with a factor for each kind of text.
//!
//! This is a rule of the counter, like those for images and tools: a model with another rule needs a new count.

use super::text_kind::TextKind;

/// A correction of the counter's count of a text.
///
/// | rule | what | source |
/// | --- | --- | --- |
/// | `text:claude-4.7` | tokens of Claude 4.7 and later relative to 4.6: prose 1.45, Python 1.20, braces 1.13, JSON 1.31, other scripts 1.00 | sol.ava.dev, "What's actually different about the Opus 4.7 tokenizer" (2026-04-17), measured with Anthropic's `count_tokens`: English 1.45, German 1.46, Python 1.20, TypeScript 1.13, JSON log line 1.31, Chinese, Japanese, Russian and Arabic 1.00 |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextRule {
    /// The count is unchanged.
    #[default]
    Counted,
    /// `text:claude-4.7`.
    Claude47,
}

impl TextRule {
    /// The rule of the model of this name.
    pub fn for_model(name: &str) -> Self {
        match claude_version(name) {
            Some(version) if version >= (4, 7) => Self::Claude47,
            _ => Self::Counted,
        }
    }

    /// The rule's name and source for the report; `None` for `Counted`.
    pub const fn listed(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Counted => None,
            Self::Claude47 => Some((
                "text:claude-4.7 (over 4.6: prose 1.45, Python 1.20, TypeScript 1.13, JSON 1.31, other scripts 1.00)",
                "sol.ava.dev, What's actually different about the Opus 4.7 tokenizer, 2026-04-17, by Anthropic's count_tokens",
            )),
        }
    }

    /// The tokens of a text by this rule, given the counted ones.
    pub fn apply(self, text: &str, tokens: u64) -> u64 {
        match self {
            Self::Counted => tokens,
            Self::Claude47 => (tokens * percent(TextKind::of(text))).div_ceil(100),
        }
    }

    /// The largest counted number of tokens that is at most `tokens` by this rule.
    pub fn max_counted(self, text: &str, tokens: u64) -> u64 {
        match self {
            Self::Counted => tokens,
            Self::Claude47 => tokens.saturating_mul(100) / percent(TextKind::of(text)),
        }
    }
}

const fn percent(kind: TextKind) -> u64 {
    match kind {
        TextKind::Prose => 145,
        TextKind::Json => 131,
        TextKind::Python => 120,
        TextKind::Braces => 113,
        TextKind::OtherScripts => 100,
    }
}

/// The version in `claude-opus-4-7`, `claude-3-7-sonnet` or `claude-sonnet-5`. Numbers with more digits are dates.
fn claude_version(name: &str) -> Option<(u32, u32)> {
    let (_, rest) = name.split_once("claude-")?;
    let number = |part: &&str| (1..=2).contains(&part.len()) && part.bytes().all(|c| c.is_ascii_digit());
    let mut parts = rest.split(['-', '.', '@', ':', '_']).skip_while(|part| !number(part));
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next().filter(number).and_then(|minor| minor.parse().ok()).unwrap_or(0);
    Some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_depends_on_the_models_generation() {
        for model in [
            "claude-opus-4-7", "claude-opus-4.8", "claude-sonnet-5", "claude-opus-5-5-20260901",
            "claude-fable-5-1", "us.anthropic.claude-opus-4-7-v1:0", "claude-opus-4-7@20260416",
        ] {
            assert_eq!(TextRule::for_model(model), TextRule::Claude47, "{model}");
        }
        for model in [
            "claude-opus-4-6", "claude-sonnet-4-5-20250929", "claude-3-7-sonnet-20250219",
            "claude-sonnet-4-20250514", "claude-opus-4@20250514", "gpt-5", "gemini-3.8-flash", "claude",
        ] {
            assert_eq!(TextRule::for_model(model), TextRule::Counted, "{model}");
        }
    }

    #[test]
    fn each_kind_of_text_has_its_own_factor() {
        let prose = "The parser was rewritten last week, and all of its tests pass now.";
        assert_eq!(TextRule::Claude47.apply(prose, 100), 145);
        assert_eq!(TextRule::Claude47.max_counted(prose, 145), 100);
        assert_eq!(TextRule::Claude47.apply("解析器上周已重写，所有测试都通过了。", 100), 100);
        assert_eq!(TextRule::Counted.apply(prose, 100), 100);
    }
}
